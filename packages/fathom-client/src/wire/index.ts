/**
 * The wire of the Fathom Sandbox Protocol 1.0: messages, limits, guards. Imports nothing.
 *
 * @packageDocumentation
 */
export * from './codec.js';
export * from './errors.js';
export * from './limits.js';
export * from './messages.js';
export * from './validate.js';
