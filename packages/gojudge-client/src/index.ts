/**
 * A typed client for go-judge servers. On Node import `@sbx/gojudge-client/node`; this entry uses what the environment has.
 *
 * @packageDocumentation
 */
export { type CallOptions, GojudgeClient, type GojudgeClientOptions } from './client.js';
export {
  CLIENT_ERROR_CODES,
  type ClientErrorCode,
  type ClientErrorInit,
  GojudgeError,
  isGojudgeError,
} from './errors.js';
export { RunOutcome } from './outcome.js';
export type { RunCommand, RunFigures, RunGroup, RunLimits } from './request.js';
export { GojudgeSession } from './session.js';
export { StoredFile } from './stored-file.js';
export { InteractiveRun, type StreamChunk } from './stream.js';
export type { SocketLike, Transport } from './transport.js';
export * from './wire/index.js';
