/**
 * The wire of go-judge: types, guards and the frames of `/stream`. Imports nothing.
 *
 * @packageDocumentation
 */
export * from './frames.js';
export * from './subprotocol.js';
export * from './types.js';
export * from './validate.js';
