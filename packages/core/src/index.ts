/**
 * Run untrusted programs on Linux, confined and exactly measured. Start with `Sandbox.run` and
 * `Sandbox.create`.
 *
 * @packageDocumentation
 */

export { availableCpus } from './cgroup/available-cpus.js';
export { signalNumber } from './errno.js';
export type { KnownLimits, MissingProgram } from './error-text.js';
export * from './errors.js';
export type { FolderEntry } from './files/list.js';
export type { FileContents, FileData } from './files/work-files.js';
export {
  ALLOWABLE_SYSCALLS,
  type AllowableSyscall,
  PROC_MODES,
  type ProcMode,
  SYSCALL_FAMILIES,
  type SyscallFamily,
} from './native/tables.js';
export { DEFAULT_ENV, DEFAULT_MOUNTS } from './options/defaults.js';
export { DEFAULT_LIMITS } from './options/limits.js';
export { nearestName } from './options/nearest-name.js';
export * as optionRules from './options/option-rules.js';
export { MINIMAL_ROOT } from './options/root.js';
export { Engine } from './public/engine.js';
export { ExposedPort } from './public/exposed-port.js';
export { FileCalls } from './public/file-calls.js';
export * from './public/observer.js';
export type { OpenEngine } from './public/open-engine.js';
export * from './public/options.js';
export {
  type NoOtherKeys,
  type PipedProcess,
  Process,
  type ProcessEvent,
  type ProcessFor,
  type StreamFor,
  type TerminalStreams,
} from './public/process.js';
export { type GroupOf, type ProcessesFor, ProcessGroup } from './public/process-group.js';
export type { ProcessInfo } from './public/process-info.js';
export {
  isRunner,
  type PipedRunnerProcess,
  type ProgramInput,
  type ProgramOutput,
  type Runner,
  type RunnerOptions,
  type RunnerProcess,
  type RunnerQueue,
  type RunnerWorker,
} from './public/runner.js';
export { Sandbox } from './public/sandbox.js';
export { SandboxFiles } from './public/sandbox-files.js';
export type { ShellTag } from './public/shell.js';
export { PreparedProgram, Standby } from './public/standby.js';
export type { InputStream } from './streams/input.js';
export { Output } from './streams/output.js';
export type { OutputStream } from './streams/output-stream.js';
export * from './types/engine.js';
export * from './types/files.js';
export * from './types/group.js';
export * from './types/limits.js';
export * from './types/mounts.js';
export * from './types/ports.js';
export * from './types/program.js';
export * from './types/result.js';
export * from './types/seccomp.js';
export type {
  StandbyCounters,
  StandbyFamily,
  StandbyInput,
  StandbyOptions,
  StandbyProgram,
  StandbyRequest,
} from './types/standby.js';
export * from './types/stdio.js';
