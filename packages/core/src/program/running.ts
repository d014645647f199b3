/**
 * One program from its checked request to its result; the path that one-shot runs, sessions and groups share. Nothing that
 * the program does makes it throw; what we could not do does.
 */

import type { Group } from '../cgroup/group.js';
import { startError } from '../engine/failures.js';
import { degradationsFor } from '../engine/features.js';
import { SbxError } from '../errors.js';
import { type CopiedOut, copyOut, type WorkFolder } from '../files/copy.js';
import type { EndedMessage } from '../native.js';
import type { Output } from '../streams/output.js';
import type { LiveUsage, RunResult } from '../types.js';
import { publishEnd, publishStart } from './diagnostics.js';
import { joinExtras } from './extras.js';
import { Killing } from './killing.js';
import { Meter } from './meter.js';
import type { Place, SignalCause } from './place.js';
import { checkOpenFiles, searchPaths } from './plan.js';
import { environmentFor, type ProgramRequest, startMessage } from './request.js';
import { makeResult } from './result.js';
import { Wiring } from './wiring.js';

const NS_PER_MS = 1e6;
const SIGKILL = 9;
const NO_FILES: CopiedOut = { files: {}, errors: [] };

export class Running {
  readonly id: number;
  readonly wiring: Wiring;
  /** The terminal's master, once started with one. */
  terminalFd = -1;
  /** Resolves with the result; rejects only when the sandbox failed, a callback threw, or it never started. */
  readonly result: Promise<RunResult>;
  /** Resolves once exec has happened, when `notify` was asked for. */
  readonly started: Promise<void>;
  readonly #place: Place;
  #request: ProgramRequest;
  readonly #env: Readonly<Record<string, string>>;
  readonly #paths: string[];
  readonly #killing: Killing;
  readonly #meter: Meter;
  #settle!: { resolve: (result: RunResult) => void; reject: (error: unknown) => void };
  #onStarted: () => void = () => undefined;
  #failure: { error: unknown } | null = null;
  #final: LiveUsage | null = null;
  #counted = false;
  #over = false;

  private constructor(place: Place, request: ProgramRequest) {
    this.#place = place;
    this.#request = request;
    this.id = place.nextProgramId();
    this.#env = environmentFor(request);
    this.#paths = searchPaths(request.file, this.#env.PATH);
    this.#killing = new Killing(
      request.options.killGraceMs ?? 0,
      (signal, cause, everything) => this.#signal(signal, cause, everything),
      () => this.#endedUnreported(),
    );
    this.#meter = new Meter(this.#group(), this.#helperTasks(), request.notify);
    this.wiring = this.#makeWiring();
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.started = request.notify
      ? new Promise((resolve, reject) => {
          this.#onStarted = resolve;
          this.result.catch(reject);
        })
      : Promise.resolve();
    if (request.notify) this.started.catch(() => undefined); // told through `result` as well
  }

  /** Opens descriptors and sends the plan. A promise only when something must be waited for before. */
  static start(place: Place, request: ProgramRequest): Running | Promise<Running> {
    checkOpenFiles(request.limits, place.core.openFilesMax);
    const running = new Running(place, request);
    const opened = running.wiring.open();
    const joined = joinExtras(place.core, place.slot, request.limits);
    if (opened === undefined && joined === undefined) return running.#send([]);
    return Promise.all([joined ?? [], opened]).then(
      ([joins]) => running.#send(joins),
      (error) => {
        running.wiring.abandon();
        throw error;
      },
    );
  }

  get ended(): boolean {
    return this.#over;
  }

  /** Time that `end()` leaves it, in ms. */
  get graceMs(): number {
    return this.#killing.graceMs;
  }

  /** Ends the program for a reason of the caller's: SIGTERM first when there is a grace, then SIGKILL to all of it. */
  end(): void {
    this.#killing.end();
  }

  /** Sends one signal to the main process. */
  kill(signal: number): void {
    this.#killing.send(signal);
  }

  /** The run fails with this error once the program is dead. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#signal(SIGKILL, 'killed', true);
  }

  usage(): LiveUsage {
    if (this.#final !== null) return this.#final;
    return this.#meter.read(this.#killing.ageMs());
  }

  #group(): Group | null {
    return this.#request.member ?? this.#place.slot.group;
  }

  #helperTasks(): number {
    return this.#request.member === undefined ? this.#place.slot.helperTasks : 0;
  }

  #makeWiring(): Wiring {
    const { options, limits, given = [] } = this.#request;
    return new Wiring({
      folder: workFolderOf(this.#place),
      options,
      outputBytes: limits.outputBytes,
      given,
      onOverflow: () => this.#signal(SIGKILL, 'output-limit', true),
      onSourceError: (error) => this.fail(error),
      onData: (target) => this.#callbackFor(target),
    });
  }

  /** `onStdout` and `onStderr`: whatever they throw fails the run. */
  #callbackFor(target: number): ((chunk: Uint8Array) => void) | undefined {
    const { onStdout, onStderr } = this.#request.options;
    const callback = target === 1 ? onStdout : target === 2 ? onStderr : undefined;
    if (callback === undefined) return undefined;
    const refuse = (cause: unknown) => {
      const message = `${target === 1 ? 'onStdout' : 'onStderr'} threw.`;
      this.fail(new SbxError({ code: 'SBX_STREAM_CALLBACK', message, cause }));
    };
    return (chunk) => {
      try {
        const returned = callback(chunk);
        if (returned instanceof Promise) returned.catch(refuse);
      } catch (cause) {
        refuse(cause);
      }
    };
  }

  #send(joins: number[]): Running {
    try {
      const { id, wiring } = this;
      const parts = { id, wiring, joins, env: this.#env, paths: this.#paths, group: this.#group() };
      this.#place.start(startMessage(this.#place, this.#request, parts), {
        onStarted: (_pid, [master]) => this.#started(master),
        onEnded: (ended) => this.#ended(ended),
        onFailed: (failed) =>
          this.#abandoned(
            startError(
              failed,
              this.#request.file,
              this.#request.options.cwd ?? this.#place.core.workDir,
              this.#paths,
            ),
          ),
        onLost: (error) => this.#abandoned(error),
      });
    } catch (error) {
      this.wiring.abandon();
      throw error;
    }
    this.#killing.begin();
    this.wiring.sent();
    publishStart(this.id, this.#request.file);
    return this;
  }

  #signal(signal: number, cause: SignalCause, everything: boolean): void {
    this.#place.signal(this.id, signal, cause, everything);
  }

  /** Once exec is known to have happened: with `notify` at once, else by the end's report. */
  #countStart(): void {
    if (this.#counted) return;
    this.#counted = true;
    this.#place.core.startedTotal += 1;
  }

  #started(master: number | undefined): void {
    this.#countStart();
    this.#killing.begin();
    if (master !== undefined) {
      this.terminalFd = master;
      this.wiring.attachTerminal(master, !this.#request.notify);
    }
    this.#onStarted();
  }

  #ended(ended: EndedMessage): void {
    if (this.#over) return;
    this.#over = true;
    this.#killing.over();
    const { core } = this.#place;
    const outputs = this.wiring.collect();
    this.#countStart();
    core.finishedTotal += 1;
    if (this.#failure !== null) return this.#settle.reject(this.#failure.error);
    const { limits, options } = this.#request;
    const { files, errors } =
      options.copyOut === undefined
        ? NO_FILES
        : copyOut(workFolderOf(this.#place), options.copyOut, options.copyOutMaxBytes);
    const result = makeResult({
      ended: this.#withHostCause(ended, outputs),
      limits,
      outputs,
      files,
      fileErrors: errors,
      degraded: core.missing.length === 0 ? [] : degradationsFor(core.features, core.missing, limits),
      hadCompany: this.#request.company?.others === true,
      helperTasks: this.#helperTasks(),
      atLeast: this.#meter.highest,
    });
    core.byStatus[result.status] += 1;
    this.#final = { ...result.usage, memoryBytes: 0 };
    publishEnd(this.id, result);
    this.#onStarted();
    this.#settle.resolve(result);
  }

  /** What the host knows of the end and init could not: a signal it sent, output that came faster than it could say stop. */
  #withHostCause(ended: EndedMessage, outputs: ReadonlyMap<number, Output>): EndedMessage {
    if (ended.cause !== 'none') return ended;
    if (this.#killing.explains(ended.waitStatus)) return { ...ended, cause: 'killed' };
    for (const output of outputs.values()) if (output.truncated) return { ...ended, cause: 'output-limit' };
    return ended;
  }

  /**
   * It was killed, but its report is late, or the sandbox went before it came. The result says so now, measured as far as can
   * be; files are not taken, since something may still be dying.
   */
  #endedUnreported(): void {
    if (this.#over) return;
    this.#request = { ...this.#request, options: { ...this.#request.options, copyOut: undefined } };
    const { cpuTimeMs, wallTimeMs, memoryPeakBytes } = this.usage();
    this.#ended({
      kind: 'ended',
      programId: this.id,
      waitStatus: SIGKILL,
      cause: 'killed',
      cpuNs: this.#meter.measures ? cpuTimeMs * NS_PER_MS : null,
      wallNs: wallTimeMs * NS_PER_MS,
      memoryPeakBytes,
      memoryBaselineBytes: null,
      fileCacheBytes: 0,
      oomKillCount: 0,
      taskPeak: null,
      taskPeakBefore: null,
      maxRssBytes: 0,
    });
  }

  #abandoned(error: SbxError): void {
    if (this.#over) return;
    if (this.#killing.ending && error.code === 'SBX_CLOSED') return this.#endedUnreported();
    this.#over = true;
    this.#killing.over();
    this.wiring.abandon();
    this.#failure ??= { error };
    this.#settle.reject(this.#failure.error);
  }
}

export function workFolderOf(place: Place): WorkFolder {
  return { native: place.core.native, fd: place.workspaceFd, owner: place.slot.owner };
}
