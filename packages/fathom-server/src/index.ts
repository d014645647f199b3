/**
 * The Fathom Sandbox Protocol 1.0 over `@sbx/core`. Start with `createFathomServer`.
 *
 * @packageDocumentation
 */
export type { FathomServerOptions, Logger } from './options.js';
export { createFathomServer, type FathomServer } from './server.js';
