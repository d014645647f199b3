/**
 * One program in a fresh sandbox: files in, the program, files out, everything gone. `runOneShot` is the one-shot form and
 * hot path; `startInFresh` is what living programs and groups share with it.
 */
import { onAbort } from '../abort.js';
import type { EngineCore } from '../engine/core.js';
import { onDemand } from '../engine/shape.js';
import { checkCeilings, type ResolvedLimits, resolveLimits } from '../options/limits.js';
import type { OneShotOptions, ProgramOptions, RunResult } from '../types.js';
import { after, CLOSE_WAIT_MS } from './killing.js';
import { Place } from './place.js';
import { closeHeld } from './result.js';
import { Running } from './running.js';
import type { GivenFd } from './wiring.js';

const NO_OPTIONS: OneShotOptions = Object.freeze({});

/** The request must have been checked. */
export async function runOneShot(
  core: EngineCore,
  file: string,
  args: readonly string[] = [],
  options: OneShotOptions = NO_OPTIONS,
): Promise<RunResult> {
  core.checkOpen();
  const { signal } = options;
  signal?.throwIfAborted();
  checkCeilings(options.limits, core.options.ceilings);
  const limits = resolveLimits(core.limits, options.limits);
  const waiting = core.queue.enter(signal);
  if (waiting !== undefined) await waiting;
  const startedAt = performance.now();
  try {
    const { result } = await startInFresh(core, { file, args, options, limits, spawned: false });
    return await result;
  } finally {
    core.queue.leave(performance.now() - startedAt);
  }
}

/** A living program with a sandbox of its own, outside the queue. The request must have been checked. */
export async function spawnOneShot(
  core: EngineCore,
  file: string,
  args: readonly string[] = [],
  options: OneShotOptions = NO_OPTIONS,
): Promise<Started> {
  core.checkOpen();
  options.signal?.throwIfAborted();
  checkCeilings(options.limits, core.options.ceilings);
  const limits = resolveLimits(core.limits, options.limits);
  return startInFresh(core, { file, args, options, limits, spawned: true });
}

/** A program and the sandbox around it. */
export interface OneShot {
  file: string;
  args: readonly string[];
  options: OneShotOptions;
  limits: ResolvedLimits;
  given?: readonly GivenFd[];
  /** See `ProgramRequest`. */
  turns?: number;
  /** The caller holds streams, and wants to know that it executes. */
  spawned: boolean;
  /** In a sandbox that is made now, not in one that stood ready: process and files are no older than the request. */
  onDemand?: boolean;
}

/** A program that was started; `result` settles once its sandbox is given up. */
export interface Started {
  running: Running;
  result: Promise<RunResult>;
}

/** From the place in the queue on. Rejects when the program could not be started; a spawned one then executes. */
export async function startInFresh(core: EngineCore, run: OneShot): Promise<Started> {
  const { options, limits, spawned } = run;
  const shape = core.shape(options, limits, options.pty !== undefined);
  const taken = Place.take(core, run.onDemand === true ? onDemand(shape) : shape);
  const place = taken instanceof Promise ? await taken : taken;
  const stay = new Stay(core, place);
  let started: Started;
  try {
    started = stay.attend(await start(place, run), options, spawned);
  } catch (error) {
    stay.leave(false);
    throw error;
  }
  if (spawned) await started.running.started;
  return started;
}

/** A program that executes already, alone in its place, from now to its end and that of the place. */
export function attend(place: Place, running: Running, options: OneShotOptions): Started {
  return new Stay(place.core, place).attend(running, options, true);
}

async function start(place: Place, run: OneShot): Promise<Running> {
  const { file, args, options, limits, given, turns, spawned } = run;
  options.signal?.throwIfAborted();
  const request = { file, args, options, limits, oneShot: true, notify: spawned, given, turns };
  return Running.start(place, request);
}

/** A sandbox that is held for one program, and given up with it or when the engine closes. */
class Stay {
  live: Running | undefined;
  readonly #core: EngineCore;
  readonly #place: Place;
  readonly #closer = () => this.#close();

  constructor(core: EngineCore, place: Place) {
    this.#core = core;
    this.#place = place;
    core.closers.add(this.#closer);
  }

  attend(running: Running, options: OneShotOptions, spawned: boolean): Started {
    this.live = running;
    const result = untilAborted(running, options).finally(() => this.leave(spawned));
    if (spawned) result.catch(() => undefined); // told by `started`, and by who waits for the result
    return { running, result };
  }

  /** The program is over. With `streams`, what it wrote may still be unread: the engine's end is the last moment for that. */
  leave(streams: boolean): void {
    const forget = () => void this.#core.closers.delete(this.#closer);
    if (streams) void allRead(this.live!).then(forget);
    else forget();
    if (this.#place.alive === 0) this.#place.closeAfterEnd();
    else this.#place.close();
  }

  async #close(): Promise<void> {
    if (this.live?.ended === false) this.live.end();
    await Promise.race([this.live?.result.catch(() => undefined), after(CLOSE_WAIT_MS)]);
    this.live?.wiring.closeStreams();
    this.#place.close();
  }
}

function allRead({ wiring }: Running): Promise<unknown> {
  return Promise.all([...wiring.outputs.values()].map(({ closed }) => closed));
}

/**
 * Abort kills the program and all it started, and waits for that. Then it rejects with the signal's reason, unless the
 * caller wants to see how it ended.
 */
export function untilAborted(running: Running, { signal, onAbort }: ProgramOptions): Promise<RunResult> {
  return signal === undefined ? running.result : endOnAbort(running, signal, onAbort === 'resolve');
}

async function endOnAbort(running: Running, signal: AbortSignal, resolve: boolean): Promise<RunResult> {
  const end = () => running.end();
  const release = onAbort(signal, end);
  if (signal.aborted) end();
  try {
    const result = await running.result;
    if (!(signal.aborted && result.status === 'killed') || resolve) return result;
    closeHeld(result);
    throw signal.reason;
  } finally {
    release();
  }
}
