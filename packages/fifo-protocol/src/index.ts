/**
 * The wire of the two-pipe protocol: requests, replies, and the wording of line 3. Imports nothing; the
 * manager is `@sbx/fifo-protocol/server`, the client `@sbx/fifo-client`.
 *
 * @packageDocumentation
 */
export * from './errors.js';
export * from './known-options.js';
export * from './legacy.js';
export * from './names.js';
export * from './reply.js';
export * from './request.js';
export * from './state.js';
