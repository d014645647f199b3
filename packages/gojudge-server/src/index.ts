/**
 * go-judge's REST and WebSocket interface over `@sbx/core`. Start with `createGojudgeServer`.
 *
 * @packageDocumentation
 */
export type { MountConf } from './config/mount-conf.js';
export type { GojudgeServerOptions } from './options.js';
export { createGojudgeServer, type GojudgeServer } from './server.js';
