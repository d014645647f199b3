/** Types of options between public classes and what they call; not exported. */
import type { WorkspaceSource } from './files.js';
import type { ProgramOptions, RunOptions, SandboxShape } from './program.js';

/** `OneShotOptions` without the engine, which only public classes know. */
export interface FreshRunOptions extends RunOptions, SandboxShape {}

/** `SandboxOptions` without the engine. */
export interface SessionOptions
  extends SandboxShape,
    Pick<ProgramOptions, 'env' | 'limits' | 'signal'>,
    Pick<RunOptions, 'files'> {
  workspace?: WorkspaceSource | undefined;
  lifetimeMs?: number | null | undefined;
}
