/** The short way: one sandbox, one program in it, managed. */
import { FifoManager } from './manager.js';
import type { FifoOptions, ManagedProgram, ProgramStart } from './types.js';

/** A sandbox for one program; `Sandbox` of `@sbx/core` is one. */
export interface ProgramSpawner<ProgramOptions> {
  /** Starts a program; rejects when it cannot be started. */
  spawn(file: string, args?: readonly string[], options?: ProgramOptions): Promise<ManagedProgram>;
  /** Removes it with everything in it. */
  close(): Promise<void>;
}

/** What can make sandboxes; `Engine` of `@sbx/core` is one. */
export interface SandboxMaker<SandboxOptions, ProgramOptions> {
  /** A fresh one. */
  createSandbox(options?: SandboxOptions): Promise<ProgramSpawner<ProgramOptions>>;
}

/** Settings of `startFifoSandbox`: the manager's, and what the engine takes. */
export interface StartOptions<SandboxOptions, ProgramOptions> extends FifoOptions {
  /** As for `engine.createSandbox`: limits, files, network. */
  sandbox?: SandboxOptions | undefined;
  /** As for `sandbox.spawn`: env, cwd, stdin, stdout. With `pipes`, stdin and stdout are theirs. */
  program?: ProgramOptions | undefined;
}

/**
 * Starts a program in a fresh sandbox and answers for it. Resolves when the directory is ready and the
 * program has started, or could not be: then requests are answered with `process not started` and the reason.
 * Rejects, with the engine's own error, when there is no sandbox for it: beyond `maxSandboxes` with
 * `SBX_OVERLOADED`. The sandbox is closed when `finished` resolves.
 *
 * @example
 * ```ts
 * const sandbox = { files: { 'main.py': code }, limits: { memoryBytes: 256 * 2 ** 20 } };
 * const fifo = await startFifoSandbox(engine, 'python3', ['main.py'], { sandbox, pipes: true });
 * console.log(fifo.dir);
 * await fifo.finished;
 * ```
 */
export async function startFifoSandbox<SandboxOptions, ProgramOptions extends object>(
  engine: SandboxMaker<SandboxOptions, ProgramOptions>,
  file: string,
  args: readonly string[] = [],
  options: StartOptions<SandboxOptions, ProgramOptions> = {},
): Promise<FifoManager> {
  const { sandbox: shape, program, ...rest } = options;
  const hasPipes = rest.pipes ?? rest.layout === 'legacy';
  const stdio = hasPipes ? { stdin: 'pipe', stdout: 'pipe' } : {};
  // At once, so that an engine that has no room says so to the caller; in the legacy layout a client's
  // opening comes first.
  const made = rest.layout === 'legacy' ? null : await engine.createSandbox(shape);
  const start: ProgramStart = async ({ atEnd }) => {
    const sandbox = made ?? (await engine.createSandbox(shape));
    atEnd(() => sandbox.close()); // at once when it is over already; then nothing starts in it
    return sandbox.spawn(file, args, { ...program, ...stdio } as ProgramOptions);
  };
  const manager = await FifoManager.open(start, rest).catch(async (error) => {
    await made?.close();
    throw error;
  });
  if (rest.layout !== 'legacy') await manager.started; // there the client's opening starts it
  return manager;
}
