/**
 * A typed client for servers of the Fathom Sandbox Protocol 1.0, and its wire. On Node this entry is
 * `@sbx/fathom-client/node`; elsewhere it uses the global WebSocket.
 *
 * @packageDocumentation
 */
export { Accumulator } from './accumulator.js';
export type { ReconnectOptions } from './backoff.js';
export { FathomClient } from './client.js';
export type { ExecuteOptions, FathomClientOptions } from './client-options.js';
export type { ConnectionState } from './connection.js';
export {
  CLIENT_ERROR_CODES,
  type ClientErrorCode,
  type ClientErrorInit,
  FathomError,
  isFathomError,
} from './errors.js';
export { Execution, type ExecutionEvent, type ExecutionOwner, type ExecutionResult } from './execution.js';
export type { ExecutionUsage, Load } from './figures.js';
export type { Pong } from './pings.js';
export type { ExecutionLimits, ExecutionRequest } from './request.js';
export type { OpenSocket, SocketLike } from './transport.js';
export * from './wire/index.js';
