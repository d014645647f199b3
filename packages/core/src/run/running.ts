/**
 * One program from its checked request to its result; the path that one-shot runs, sessions and groups share.
 * Nothing that the program does makes it throw; what we could not do does.
 */
import type { Group } from '../cgroup/group.js';
import type { WatchedProgram } from '../engine/watch.js';
import type { SbxError } from '../errors.js';
import { copyIn } from '../files/copy.js';
import type { EndedMessage } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';
import { explained, type StartAttempt, startError } from '../pool/failures.js';
import { filterMayKill } from '../pool/sandbox-spec.js';
import type { LiveUsage } from '../types/limits.js';
import type { RunResult } from '../types/result.js';
import { PROGRAM_END, PROGRAM_START, publishEnd, publishStart } from './diagnostics.js';
import { writeCpuLimits } from './group-limits.js';
import { Killing, withHostCause } from './killing.js';
import { Meter } from './meter.js';
import { checkOpenFiles } from './plan.js';
import {
  attemptOf,
  environmentFor,
  helperTasksOf,
  type ProgramRequest,
  pinned,
  startMessage,
  stdioFor,
  type WarmStart,
} from './request.js';
import { closeOutputs, copyOutBudget, copyOutFiles, makeResult, unreportedEnd } from './result.js';
import type { ProgramListener, SandboxLease, SignalCause } from './sandbox-lease.js';
import { lookerFor } from './script.js';
import { closeReported } from './stdio/init-files.js';
import type { Stdio } from './stdio/stdio.js';

export class Running implements WatchedProgram {
  readonly id: number;
  readonly stdio: Stdio;
  /** Time that `end()` leaves it. */
  readonly graceMs: number;
  /** Resolves with the result; rejects only if the sandbox failed, a callback threw, or it never started. */
  readonly result: Promise<RunResult>;
  /** Resolves once exec has happened, when `notify` was asked for. */
  readonly started: Promise<void>;
  /** Its end is reported, or it will never start. */
  ended = false;
  readonly lease: SandboxLease;
  #request: ProgramRequest;
  readonly #env: readonly string[];
  readonly #attempt: StartAttempt;
  readonly #killing: Killing;
  /** Made when readings may be asked for, or init's report has no CPU time; the group counts from earlier. */
  #meter: Meter | null = null;
  #cpuBefore: string | number = -1;
  #completion!: { resolve: (result: RunResult) => void; reject: (error: unknown) => void };
  #onStarted: () => void = () => undefined;
  #failure: { error: unknown } | null = null;
  #final: LiveUsage | null = null;
  #counted = false;

  private constructor(lease: SandboxLease, request: ProgramRequest) {
    this.lease = lease;
    this.#request = request;
    this.id = request.warmStart?.id ?? lease.nextProgramId();
    this.graceMs = request.options.killGraceMs ?? 0;
    this.#env = environmentFor(request.options, request.env, lease.core.toolchainPath);
    this.#attempt = attemptOf(request, this.#env, lease.core);
    const signal = (number: number, cause: SignalCause, everything: boolean) =>
      lease.signal(this.id, number, cause, everything);
    this.#killing = new Killing(this.graceMs, signal, () => this.#endedUnreported());
    if (request.notify || request.warmStart !== undefined) this.#makeMeter();
    else if (this.group !== null) this.#cpuBefore = lease.core.native.readCounterFile(this.group.cpuFd);
    this.stdio = stdioFor(lease, request, {
      signal: (number, cause) => signal(number, cause, true),
      fail: (error) => this.fail(error),
    });
    this.result = new Promise((resolve, reject) => {
      this.#completion = { resolve, reject };
    });
    this.started = request.notify
      ? new Promise((resolve, reject) => {
          this.#onStarted = resolve;
          this.result.catch(reject);
        })
      : Promise.resolve();
    if (request.notify) this.started.catch(() => undefined); // `result` rejects as well
  }

  /** Opens descriptors and sends the plan. A promise only when something must be waited for before. */
  static start(lease: SandboxLease, asked: ProgramRequest): Running | Promise<Running> {
    const request = pinned(lease, asked);
    checkOpenFiles(request.limits, lease.core.openFilesMax);
    const running = new Running(lease, request);
    try {
      const joined = writeCpuLimits(lease, request.limits);
      // Afterwards: nothing may be opened once the start is given up.
      const opened = joined === undefined ? running.#open() : joined.then(() => running.#open());
      if (opened === undefined) return running.#send([]);
      return Promise.all([joined ?? [], opened])
        .then(([joins]) => running.#send(joins))
        .catch((error) => running.#giveUp(error));
    } catch (error) {
      return running.#giveUp(error);
    }
  }

  #giveUp(error: unknown): never {
    this.stdio.abandon();
    throw error;
  }

  /** In this order: a file that the program writes to is there before one is copied over it. */
  #open(): Promise<void> | undefined {
    const opened = this.stdio.open();
    return opened === undefined ? this.#fill() : opened.then(() => this.#fill());
  }

  #fill(): Promise<void> | undefined {
    const folder = this.lease.folder;
    const { files } = this.#request.options;
    folder.checkOpen();
    const filled = files === undefined ? undefined : copyIn(folder, files);
    if (filled === undefined) return this.stdio.finish();
    return filled.then(() => {
      folder.checkOpen();
      return this.stdio.finish();
    });
  }

  /** Adopts a warm process, which executes already, for this request. */
  static adoptWarm(lease: SandboxLease, request: ProgramRequest & { warmStart: WarmStart }): Running {
    const running = new Running(lease, request);
    running.stdio.attachPipes(request.warmStart.pipes);
    lease.adopt(running.id, running.#listener());
    running.#started(undefined);
    return running.#begun();
  }

  /**
   * Ends the program for a reason of the caller's: SIGTERM first when there is a grace, then SIGKILL to all
   * of it.
   */
  end(): void {
    this.#killing.end();
  }

  /** Sends one signal to the main process. */
  kill(signal: number): void {
    this.#killing.send(signal);
  }

  ageMs(): number {
    return this.#killing.ageMs();
  }

  endFor(cause: 'wall-limit' | 'memory-limit', heldBytes = 0): void {
    this.#makeMeter().noteHeld(heldBytes);
    this.#killing.endNow(cause);
  }

  /** The run fails with this error once the program is dead. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    if (!this.ended) this.#killing.endNow();
  }

  usage(): LiveUsage {
    return this.#final ?? this.#makeMeter().read(this.#killing.ageMs());
  }

  #makeMeter(): Meter {
    const tasks = helperTasksOf(this.lease, this.#request);
    this.#meter ??= new Meter(this.group, tasks, this.#request, this.#cpuBefore);
    return this.#meter;
  }

  get limits(): ResolvedLimits {
    return this.#request.limits;
  }

  get group(): Group | null {
    return this.#request.member ?? this.lease.slot.cgroup.group;
  }

  #send(joins: number[]): Running {
    const { id, stdio } = this;
    const parts = { id, stdio, joins, env: this.#env, paths: this.#attempt.paths, group: this.group };
    this.lease.start(startMessage(this.lease, this.#request, parts), this.#listener());
    return this.#begun();
  }

  #listener(): ProgramListener {
    return {
      group: this.group,
      onStarted: (_pid, [master]) => this.#started(master),
      onEnded: (ended) => this.#ended(ended),
      onFailed: (failed) => {
        const look = lookerFor(this.lease, this.#request.options.cwd);
        const find = () => this.stdio.outputError(failed) ?? startError(failed, this.#attempt, look);
        this.#abandoned(explained(find));
      },
      onLost: (error) => this.#abandoned(error),
    };
  }

  #begun(): this {
    this.#killing.begin();
    this.stdio.noteSent();
    this.#meter?.begin();
    this.lease.core.watch.add(this);
    if (PROGRAM_START.hasSubscribers) publishStart(this.id, this.#request.file);
    return this;
  }

  /** Once exec is known to have happened: with `notify` at once, else by the end's report. */
  #countStart(): void {
    if (this.#counted) return;
    this.#counted = true;
    this.lease.core.startedTotal += 1;
  }

  #started(master: number | undefined): void {
    if (this.ended && master !== undefined) return this.lease.core.native.closeFds([master]); // too late
    this.#countStart();
    this.#killing.begin();
    if (master !== undefined) this.stdio.terminal?.attach(master, this.#request.notify);
    this.#onStarted();
  }

  #ended(ended: EndedMessage): void {
    if (this.ended) return closeReported(ended.outputs);
    this.ended = true;
    this.#killing.over();
    const { core } = this.lease;
    core.watch.delete(this);
    this.#countStart();
    core.finishedTotal += 1;
    const collected = this.#collect(ended);
    if (collected === null) return this.#completion.reject(this.#failure!.error);
    const { outputs, files, errors } = collected;
    const { limits, options } = this.#request;
    const report = ended.cpuNs === null ? this.#makeMeter().complete(ended, this.#killing.ageMs()) : ended;
    const result = makeResult({
      ended: withHostCause(report, this.#killing, this.stdio.overflowed(outputs)),
      limits,
      outputs,
      fds: options.fds,
      files,
      fileErrors: errors,
      engine: core,
      hadConcurrent: this.#request.concurrency?.others === true,
      filterKills: filterMayKill(core.options, this.lease.slot.spec),
      helperTasks: helperTasksOf(this.lease, this.#request),
      atLeast: this.#meter?.highest,
    });
    core.byStatus[result.status] += 1;
    this.#final = { memoryBytes: 0, ...result.usage };
    if (PROGRAM_END.hasSubscribers) publishEnd(this.id, result);
    this.#onStarted();
    this.#completion.resolve(result);
  }

  /** `null` when the run has failed. */
  #collect({ outputs: reported }: EndedMessage) {
    if (this.#failure === null) {
      try {
        const { options } = this.#request;
        const budget = copyOutBudget(options);
        const outputs = this.stdio.collect(reported, budget);
        if (this.#failure === null) return copyOutFiles(outputs, this.lease.folder, options, budget);
        closeOutputs(outputs); // a callback threw at the last chunk
      } catch (error) {
        this.#failure = { error };
      }
    }
    this.stdio.drop(reported);
    return null;
  }

  /** Killed, and the report is late, or the sandbox went. No files are taken: something may be dying. */
  #endedUnreported(): void {
    if (this.ended) return;
    this.#request = { ...this.#request, options: { ...this.#request.options, copyOut: undefined } };
    this.#ended(unreportedEnd(this.id, this.usage(), this.#makeMeter().measures, this.#killing.cause));
  }

  #abandoned(error: SbxError): void {
    if (this.ended) return;
    if (this.#killing.ending && error.code === 'SBX_CLOSED') return this.#endedUnreported();
    this.ended = true;
    this.#killing.over();
    this.lease.core.watch.delete(this);
    this.stdio.abandon();
    this.#failure ??= { error };
    this.#completion.reject(this.#failure.error);
  }
}
