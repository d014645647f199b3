/**
 * A typed client for go-judge servers. On Node this entry is `@sbx/gojudge-client/node`; elsewhere it uses
 * what the environment has.
 *
 * @packageDocumentation
 */
export type { CallOptions } from './call-options.js';
export {
  GojudgeClient,
  type GojudgeClientOptions,
  type RunManyOptions,
} from './client.js';
export type { RunCommand, RunGroup, RunLimits } from './command.js';
export {
  CLIENT_ERROR_CODES,
  type ClientErrorCode,
  type ClientErrorInit,
  GojudgeError,
  isGojudgeError,
} from './errors.js';
export type { ManyOutcomes } from './many.js';
export { RunOutcome } from './outcome.js';
export type { RunFigures } from './request.js';
export type { RetryOptions } from './retry.js';
export { GojudgeSession, type SessionOptions } from './session.js';
export { StoredFile } from './stored-file.js';
export { InteractiveRun, type InteractOptions, type StreamChunk, type StreamPlace } from './stream.js';
export type { SocketLike, Transport } from './transport.js';
export { GIB, KIB, MIB, msOfNs, nsOfMs, WIRE_NUMBER_MAX } from './units.js';
export type { UploadContent } from './upload.js';
export * from './wire/index.js';
