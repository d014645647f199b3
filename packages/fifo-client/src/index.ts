/**
 * Client of the two-pipe protocol.
 *
 * @packageDocumentation
 */
export {
  FIFO_ERROR_CODES,
  FifoError,
  type FifoErrorCode,
  type FifoReading,
  isFifoError,
  type ProcessState,
  type ProcessStatus,
  parseStatus,
} from '@sbx/fifo-protocol';
export { FifoClient } from './client.js';
export type { ProgramStreams } from './streams.js';
export type {
  CheckpointOptions,
  FifoClientOptions,
  Measurement,
  MemoryCheckpoint,
  RequestOptions,
  WaitOptions,
} from './types.js';
