/**
 * go-judge's REST and WebSocket interface over `@sbx/core`. Start with `createGojudgeServer`.
 *
 * @packageDocumentation
 */
export type { GojudgeServerOptions, MountConf } from './options.js';
export { createGojudgeServer, type GojudgeServer } from './server.js';
