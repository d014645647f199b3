/**
 * One server for all protocols over one engine. Start with `createServer`.
 *
 * @packageDocumentation
 */
export {
  type ConsoleOptions,
  type FathomPartOptions,
  type GojudgePartOptions,
  type Logger,
  type McpPartOptions,
  PROTOCOLS,
  type Protocol,
  type ServerOptions,
  type SharedOption,
} from './options.js';
export { createServer, type SbxServer } from './server.js';
