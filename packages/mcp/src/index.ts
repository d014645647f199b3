/**
 * `@sbx/mcp`: sandboxes for every host of the Model Context Protocol, over stdio and streamable HTTP.
 *
 * @packageDocumentation
 */
export type { Logger, McpServerOptions } from './options.js';
export { createMcpServer, type McpSandboxServer, type StdioConnection } from './server.js';
