/** The session form: one sandbox, many programs, one work folder. And the door to the one-shot form. */
import type { Socket } from 'node:net';
import { coreOf } from '../engine/registry.js';
import { checkCeilings, resolveLimits } from '../options/limits.js';
import { validateConnect, validateExpose } from '../options/ports.js';
import {
  validateGroup,
  validateLifetime,
  validateOneShot,
  validateOneShotSpawn,
  validateProgram,
  validateRun,
  validateSandboxOptions,
  validateSpawnGroup,
} from '../options/program.js';
import { runOneShot, untilAborted } from '../run/one-shot.js';
import { SandboxLease } from '../run/sandbox-lease.js';
import { Session } from '../run/session.js';
import { holdInputs, holdInputsOfEach } from '../run/stdio/inputs.js';
import { holdStream } from '../streams/held.js';
import type {
  EachGroupRequest,
  EachGroupResult,
  GroupProgram,
  GroupRequest,
  GroupResult,
} from '../types/group.js';
import type { LiveUsage } from '../types/limits.js';
import type { ConnectOptions, ExposeOptions } from '../types/ports.js';
import type { ProgramOptions, RunOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import { ExposedPort } from './exposed-port.js';
import { fillFolder } from './first-files.js';
import { withCallerFrames } from './frames.js';
import { runGroup, spawnGroup } from './group.js';
import { spawnAlone } from './living.js';
import { notConstructed } from './not-constructed.js';
import type { OnEngine, OneShotOptions, SandboxOptions } from './options.js';
import { type NoOtherKeys, Process, type ProcessFor } from './process.js';
import type { GroupOf, ProcessesFor, ProcessGroup } from './process-group.js';
import { type ProcessInfo, processInfoOf } from './process-info.js';
import { SandboxFiles } from './sandbox-files.js';
import { callShell, type ShellTag } from './shell.js';

const NO_OPTIONS = Object.freeze({});

/**
 * A place of its own for untrusted programs. `Sandbox.run` is the one-shot form: a fresh sandbox for one
 * program. `Sandbox.create` gives one that stays: programs one after another or at once, sharing its work
 * folder.
 *
 * @example
 * ```ts
 * await using sandbox = await Sandbox.create();
 * await sandbox.writeFile('main.py', 'print(sum(map(int, input().split())))');
 * const result = await sandbox.run('python3', ['main.py'], { stdin: { text: '1 2\n' } });
 * result.stdout.text(); // '3\n'
 * ```
 *
 * Without `await using` (Node 20 and 22 in plain JavaScript): `try { … } finally { await sandbox.close(); }`.
 */
export class Sandbox extends SandboxFiles implements AsyncDisposable {
  readonly #session: Session;

  private constructor(session: Session) {
    if (!(session instanceof Session)) throw notConstructed('Sandbox', 'await Sandbox.create()');
    super(session);
    this.#session = session;
  }

  /**
   * Makes a sandbox that lives until `close()`, or for `lifetimeMs`. Throws before anything starts when
   * options are wrong or all places are taken.
   */
  static create(options: SandboxOptions = NO_OPTIONS): Promise<Sandbox> {
    return withCallerFrames(() => Sandbox.#create(options));
  }

  static async #create(options: SandboxOptions): Promise<Sandbox> {
    validateSandboxOptions(options);
    options.signal?.throwIfAborted();
    holdStream(options.workspace);
    const core = await coreOf(options.engine);
    checkCeilings(options.limits, core.options.ceilings);
    const limits = resolveLimits(core.limits, options.limits);
    const lease = await SandboxLease.acquire(core, core.sandboxSpec(options, limits, true));
    try {
      await fillFolder(lease, options);
      return new Sandbox(new Session(lease, options, limits));
    } catch (error) {
      lease.close();
      throw error;
    }
  }

  /**
   * The one-shot form: a fresh sandbox with `files` in it, one program, `copyOut` taken, everything gone.
   * Resolves for whatever the program did; rejects with an `SbxError` for what we could not do, or with
   * `signal.reason` on abort.
   */
  static run(file: string, args?: readonly string[], options?: OneShotOptions): Promise<RunResult> {
    return withCallerFrames(async () => {
      validateOneShot(file, args, options);
      holdInputs(options);
      const core = coreOf(options?.engine);
      return runOneShot(core instanceof Promise ? await core : core, file, args, options);
    });
  }

  /**
   * As `Sandbox.run`, but returns once the program executes: a living program with a sandbox of its own,
   * which ends with it. Streams exist where `'pipe'` was asked for; `Process.result` has files and captured
   * outputs. Such programs do not wait in the queue: `maxSandboxes` bounds them.
   */
  static spawn<const Options extends OneShotOptions>(
    file: string,
    args?: readonly string[],
    options?: Options & NoOtherKeys<Options, OneShotOptions>,
  ): Promise<ProcessFor<Options>> {
    return withCallerFrames(async () => {
      validateOneShotSpawn(file, args, options);
      holdInputs(options);
      const process = await spawnAlone(await coreOf(options?.engine), file, args, options);
      return process as ProcessFor<Options>;
    });
  }

  /** Several programs, each in a fresh sandbox of its own, joined by pipes. Resolves when all have ended. */
  static runGroup(request: EachGroupRequest & OnEngine): Promise<EachGroupResult>;
  static runGroup(request: GroupRequest & OnEngine): Promise<GroupResult>;
  static runGroup(
    request: (GroupRequest | EachGroupRequest) & OnEngine,
  ): Promise<GroupResult | EachGroupResult> {
    return withCallerFrames(async () => {
      validateGroup(request);
      holdInputsOfEach(request.programs);
      return runGroup(await coreOf(request.engine), request);
    });
  }

  /**
   * As `runGroup`, but returns once all programs execute: living programs, whose streams exist where `'pipe'`
   * was asked for. Such groups do not wait in the queue: `maxSandboxes` bounds them.
   */
  static spawnGroup<const Each extends readonly (GroupProgram | null)[]>(
    request: GroupOf<EachGroupRequest & OnEngine, Each>,
  ): Promise<ProcessGroup<EachGroupResult, ProcessesFor<Each, null>>>;
  static spawnGroup<const Each extends readonly GroupProgram[]>(
    request: GroupOf<GroupRequest & OnEngine, Each>,
  ): Promise<ProcessGroup<GroupResult, ProcessesFor<Each>>>;
  static spawnGroup(
    request: (GroupRequest | EachGroupRequest) & OnEngine,
  ): Promise<ProcessGroup<GroupResult> | ProcessGroup<EachGroupResult>> {
    return withCallerFrames(async () => {
      validateSpawnGroup(request);
      holdInputsOfEach(request.programs);
      return spawnGroup(await coreOf(request.engine), request) as Promise<ProcessGroup>;
    });
  }

  /** Runs a program to its end. */
  run(file: string, args?: readonly string[], options: RunOptions = NO_OPTIONS): Promise<RunResult> {
    return withCallerFrames(async () => {
      validateRun(file, args, options);
      holdInputs(options);
      options.signal?.throwIfAborted();
      const running = await this.#session.start(file, args ?? [], options, false);
      return untilAborted(running, options);
    });
  }

  /**
   * Runs a line of shell; each substitution is one word, quoted: `` sandbox.sh`wc -l ${name}` ``. With
   * options of `run` first: `` sandbox.sh({ cwd: 'src', limits })`make` ``.
   */
  sh(strings: TemplateStringsArray, ...values: readonly (string | number)[]): Promise<RunResult>;
  sh(options: RunOptions): ShellTag;
  sh(first: TemplateStringsArray | RunOptions, ...rest: readonly (string | number)[]) {
    return callShell((line, options) => this.run('/bin/sh', ['-c', line], options), first, rest);
  }

  /** Starts a program and returns once it executes; a missing one rejects here. */
  spawn<const Options extends ProgramOptions>(
    file: string,
    args?: readonly string[],
    options?: Options & NoOtherKeys<Options, ProgramOptions>,
  ): Promise<ProcessFor<Options>> {
    return withCallerFrames(() => this.#spawn(file, args, options) as Promise<ProcessFor<Options>>);
  }

  async #spawn(
    file: string,
    args: readonly string[] | undefined,
    options: ProgramOptions = NO_OPTIONS,
  ): Promise<Process> {
    validateProgram(file, args, options);
    holdInputs(options);
    options.signal?.throwIfAborted();
    const running = await this.#session.start(file, args ?? [], options, true);
    const process = Process.make(running, untilAborted(running, options));
    await running.started;
    return process;
  }

  /**
   * Programs that live in it now, whether `run`, `sh` or `spawn` started them, in the order of their starts;
   * processes that these have made are part of them. Empty once it is closed.
   *
   * @example
   * ```ts
   * for (const { file, ageMs, kill } of sandbox.processes()) if (ageMs > 60_000) kill();
   * ```
   */
  processes(): ProcessInfo[] {
    return processInfoOf(this.#session.living);
  }

  /**
   * Connects to a port of the sandbox, which must have `network: 'loopback'`: 127.0.0.1 or, where nobody
   * listens there, ::1. What comes is the program's: untrusted, and as long as it likes.
   */
  connect(port: number, options: ConnectOptions = NO_OPTIONS): Promise<Socket> {
    return withCallerFrames(async () => {
      validateConnect(port, options);
      this.#session.checkOpen();
      return this.#session.connections.connect(port, options);
    });
  }

  /**
   * A port of this machine that leads to one of the sandbox, which must have `network: 'loopback'`. For a
   * browser, or whatever else connects by itself.
   *
   * @example
   * ```ts
   * await sandbox.spawn('python3', ['-m', 'http.server', '8000']);
   * const { url } = await sandbox.expose(8000); // 'http://127.83.66.120:40123'
   * ```
   */
  expose(port: number, options: ExposeOptions = NO_OPTIONS): Promise<ExposedPort> {
    return withCallerFrames(async () => {
      validateExpose(port, options);
      this.#session.checkOpen();
      return ExposedPort.open(this.#session, port, options);
    });
  }

  /** It has been closed, is being closed, or closed by itself: `lifetimeMs`, `engine.close()`. */
  get isClosed(): boolean {
    return this.#session.isClosed;
  }

  /** Usage of all programs of this sandbox so far, and the memory that they hold now. */
  usage(): LiveUsage {
    return this.#session.usage();
  }

  /**
   * Closes it by itself so many ms from now, in place of what `lifetimeMs` or an earlier call said; `null`:
   * not before `close()`.
   */
  setLifetime(ms: number | null): void {
    validateLifetime(ms);
    this.#session.setLifetime(ms);
  }

  /**
   * Kills what runs and removes every trace. Settles within 100 ms whatever the programs do, after the
   * longest `killGraceMs` among them. Safe to call twice.
   */
  close(): Promise<void> {
    return this.#session.close();
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
