/**
 * Several programs at once, each in a fresh sandbox, joined by pipes. `runGroup` waits for all; `spawnGroup`
 * hands out the living programs. What holds the programs together, both ways, is `JoinedRun`.
 */
import { onAbort, traced } from '@sbx/shared';
import type { EngineCore } from '../engine/core.js';
import { isSbxError, SbxError } from '../errors.js';
import type { NativeRelay } from '../native/native.js';
import { checkCeilings, resolveLimits } from '../options/limits.js';
import { type Started, startInFresh } from '../run/one-shot.js';
import { pingPongPrograms } from '../run/ping-pong.js';
import { closeResultFds } from '../run/result.js';
import { openPipe } from '../run/stdio/child-descriptors.js';
import type { GivenFd } from '../run/stdio/stdio.js';
import { Output } from '../streams/output.js';
import type {
  EachGroupRequest,
  EachGroupResult,
  GroupPipe,
  GroupProgram,
  GroupRequest,
  GroupResult,
} from '../types/group.js';
import type { FreshRunOptions } from '../types/internal.js';
import type { RunResult } from '../types/result.js';
import { Process } from './process.js';
import { ProcessGroup } from './process-group.js';

type AnyRequest = GroupRequest | EachGroupRequest;
type AnyResult = GroupResult | EachGroupResult;

/**
 * The request must have been checked. One group takes one permit of the queue, however many programs it has.
 */
export function runGroup(core: EngineCore, request: AnyRequest): Promise<AnyResult> {
  return traced(
    () => carryOut(core, request),
    () => ({
      name: 'sbx.run_group',
      describe: ({ results }) => ({ 'sbx.status': results.map((each) => each?.status ?? '') }),
    }),
  );
}

async function carryOut(core: EngineCore, request: AnyRequest): Promise<AnyResult> {
  checkAllowed(core, request);
  const waiting = core.queue.acquire(request.signal);
  if (waiting !== undefined) await waiting;
  const startedAt = performance.now();
  try {
    return await new JoinedRun(core, request, false).result;
  } finally {
    core.queue.release(performance.now() - startedAt);
  }
}

/** The request must have been checked. Returns when every program executes, or has failed to. */
export async function spawnGroup(core: EngineCore, request: AnyRequest): Promise<ProcessGroup<AnyResult>> {
  checkAllowed(core, request);
  const run = new JoinedRun(core, request, true);
  run.result.catch(() => undefined); // rejects below, or for whoever awaits it
  const starts = await Promise.allSettled(run.starts);
  if (run.stopped) {
    for (const start of starts) if (start.status === 'fulfilled') start.value?.running.stdio.closeStreams();
    await run.result; // it rejects, once all of them are gone
  }
  return ProcessGroup.make({
    processes: starts.map((start, index) =>
      start.status === 'fulfilled' && start.value !== null
        ? Process.make(start.value.running, run.outcomes[index] as Promise<RunResult>)
        : null,
    ),
    errors: starts.map((start) => (start.status === 'rejected' ? run.explain(start.reason) : null)),
    result: run.result,
  });
}

function checkAllowed(core: EngineCore, { programs, signal }: AnyRequest): void {
  core.checkOpen();
  signal?.throwIfAborted();
  for (const [index, program] of programs.entries()) {
    checkCeilings(program?.limits, core.options.ceilings, `request.programs[${index}].limits`);
  }
}

class JoinedRun {
  /**
   * Of each program: that it is on its way (spawned: that it executes). `null` for one that is not to be
   * started.
   */
  readonly starts: Promise<Started | null>[];
  /** Of each program: how it ended. */
  readonly outcomes: Promise<RunResult | null>[];
  readonly result: Promise<AnyResult>;
  readonly #core: EngineCore;
  readonly #request: AnyRequest;
  readonly #given: GivenFd[][];
  readonly #relays: (NativeRelay | null)[] = [];
  readonly #number: number;
  readonly #pingPongPrograms: ReadonlySet<number>;
  readonly #spawned: boolean;
  /** Ends all of them: when one cannot go on and that matters to the others, and when the caller wants it. */
  readonly #stop = new AbortController();
  #release: () => void = () => undefined;
  readonly #onAbort = () => this.#stop.abort(this.#request.signal!.reason);

  constructor(core: EngineCore, request: AnyRequest, spawned: boolean) {
    this.#core = core;
    this.#request = request;
    this.#spawned = spawned;
    this.#given = request.programs.map(() => []);
    this.#number = ++core.groupsTotal;
    this.#pingPongPrograms = pingPongPrograms(request.pipes ?? []);
    try {
      for (const pipe of request.pipes ?? []) this.#relays.push(this.#open(pipe));
    } catch (error) {
      this.#releaseAll();
      throw error;
    }
    if (request.signal !== undefined) this.#release = onAbort(request.signal, this.#onAbort);
    this.starts = request.programs.map((program, index) => this.#start(program, index));
    this.outcomes = this.starts.map((start, index) => this.#outcome(start, index));
    this.result = this.#finish();
  }

  /** The caller's signal came. */
  get #aborted(): boolean {
    const { signal } = this.#request;
    return signal?.aborted === true && this.#stop.signal.reason === signal.reason;
  }

  /** Nothing can come of the whole any more. */
  get stopped(): boolean {
    return this.#stop.signal.aborted && !(this.#aborted && this.#request.onAbort === 'resolve');
  }

  /** Why a program has no result, where that is an answer. Throws what ends the whole group. */
  explain(reason: unknown): SbxError {
    if (this.stopped) throw this.#stop.signal.reason;
    if (isSbxError(reason) && !(this.#aborted && reason === this.#stop.signal.reason)) return reason;
    const message = 'The group was aborted before this program was started.';
    return new SbxError({ code: 'SBX_ABORTED', message, cause: reason });
  }

  async #start(program: GroupProgram | null, index: number): Promise<Started | null> {
    if (program === null) {
      this.#closeUnsent(this.#given[index]!);
      return null;
    }
    const { file, args = [], ...options } = program;
    const limits = resolveLimits(this.#core.limits, options.limits);
    return startInFresh(this.#core, {
      file,
      args,
      options: { ...options, signal: this.#stop.signal, onAbort: this.#request.onAbort } as FreshRunOptions,
      limits,
      given: this.#given[index],
      pingPongGroup: this.#pingPongPrograms.has(index) ? this.#number : 0,
      spawned: this.#spawned,
    });
  }

  async #outcome(start: Promise<Started | null>, index: number): Promise<RunResult | null> {
    try {
      return (await (await start)?.result) ?? null;
    } catch (error) {
      this.#closeUnsent(this.#given[index]!);
      if (this.#request.settle !== 'each' || !isSbxError(error)) this.#stop.abort(error);
      throw error;
    }
  }

  async #finish(): Promise<AnyResult> {
    const outcomes = await Promise.allSettled(this.outcomes);
    const results = outcomes.map((it) => (it.status === 'fulfilled' ? it.value : null));
    try {
      const each = this.#request.settle === 'each';
      // The first failure is the reason: the others were only stopped.
      if (!each && results.includes(null)) throw this.#stop.signal.reason;
      const errors = outcomes.map((it) => (it.status === 'rejected' ? this.explain(it.reason) : null));
      const recordings = this.#recordings();
      return each ? { results, errors, recordings } : { results: results as RunResult[], recordings };
    } catch (error) {
      // Of a spawned one the caller may have its result already.
      if (!this.#spawned) for (const result of results) if (result !== null) closeResultFds(result);
      throw error;
    } finally {
      this.#releaseAll();
    }
  }

  #releaseAll(): void {
    this.#release();
    this.#closeUnsent(this.#given.flat());
    for (const relay of this.#relays) relay?.close();
  }

  /**
   * Ends that were never sent, because a program did not get that far: the program at the other end sees
   * that.
   */
  #closeUnsent(ends: readonly GivenFd[]): void {
    const unsent = ends.filter(({ sent }) => sent !== true);
    for (const end of unsent) end.sent = true;
    this.#core.native.closeFds(unsent.map(({ fd }) => fd));
  }

  /** The bytes of the recorded pipes, once all programs have ended. */
  #recordings(): (Output | null)[] {
    return this.#relays.map((relay, index) => {
      if (this.#request.pipes?.[index]?.record === undefined) return null;
      const [bytes, totalBytes] = relay!.finish();
      return new Output(bytes, totalBytes);
    });
  }

  /** Makes a pipe, or two and the relay between them; their ends go to `#given`, by program. */
  #open({ from, to, record, relay }: GroupPipe): NativeRelay | null {
    const [source, write] = openPipe(this.#core.native);
    this.#given[from.index]!.push({ target: from.fd, fd: write });
    if (record === undefined && relay === undefined) {
      this.#given[to.index]!.push({ target: to.fd, fd: source });
      return null;
    }
    const { native } = this.#core;
    let further: [number, number];
    try {
      further = openPipe(native);
    } catch (error) {
      native.closeFds([source]); // nobody's yet
      throw error;
    }
    const [read, sink] = further;
    this.#given[to.index]!.push({ target: to.fd, fd: read });
    const drain = (record ?? (relay === true ? undefined : relay))?.drain ?? false;
    return new native.Relay({ source, sink, keepBytes: record?.maxBytes ?? 0, drain });
  }
}
