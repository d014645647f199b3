/**
 * Run untrusted programs on Linux, confined and exactly measured. Start with `Sandbox.run` and `Sandbox.create`.
 *
 * @packageDocumentation
 */

export { signalNumber } from './errno.js';
export type { KnownLimits, MissingProgram } from './error-text.js';
export * from './errors.js';
export {
  ALLOWABLE_SYSCALLS,
  type AllowableSyscall,
  PROC_MODES,
  type ProcMode,
  SYSCALL_FAMILIES,
  type SyscallFamily,
} from './native-tables.js';
export { DEFAULT_ENV, DEFAULT_MOUNTS } from './options/defaults.js';
export { nearest as nearestName } from './options/describe.js';
export { DEFAULT_LIMITS } from './options/limits.js';
export { MINIMAL_ROOT } from './options/root.js';
export type {
  StandbyCounters,
  StandbyFamily,
  StandbyInput,
  StandbyOptions,
  StandbyProgram,
  StandbyRequest,
} from './program/standby/types.js';
export { Engine } from './sandbox/engine.js';
export {
  type NoOtherKeys,
  Process,
  type ProcessEvent,
  type ProcessFor,
  type StreamFor,
} from './sandbox/process.js';
export { ProcessGroup } from './sandbox/process-group.js';
export { Sandbox } from './sandbox/sandbox.js';
export { SandboxFiles } from './sandbox/sandbox-files.js';
export type { ShellTag } from './sandbox/shell.js';
export { PreparedProgram, Standby } from './sandbox/standby.js';
export type { FileData, FolderEntry } from './sandbox/work-files.js';
export type { InputStream } from './streams/input.js';
export { Output } from './streams/output.js';
export type { OutputStream } from './streams/output-stream.js';
export * from './types.js';
