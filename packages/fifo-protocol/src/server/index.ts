/**
 * The manager's side of the two-pipe protocol: answers for one running program. It is handed the program, so
 * it stands on no engine; `Process` of `@sbx/core` fits as it is.
 *
 * @packageDocumentation
 */
export { FifoManager } from './manager.js';
export { FIFO_DEFAULTS } from './options.js';
export { type ProgramSpawner, type SandboxMaker, type StartOptions, startFifoSandbox } from './start.js';
export type {
  FifoEnd,
  FifoEvent,
  FifoOptions,
  ManagedProgram,
  ProgramEnd,
  ProgramInput,
  ProgramOutput,
  ProgramStart,
  StartContext,
} from './types.js';
