/**
 * One program in a fresh sandbox: files in, the program, files out, everything gone. `runOneShot` is the
 * one-shot form and hot path; `startInFresh` is what living programs and groups share with it.
 */
import { onAbort, type SpanFacts, traced } from '@sbx/shared';
import type { EngineCore } from '../engine/core.js';
import { checkCeilings, type ResolvedLimits, resolveLimits } from '../options/limits.js';
import { onDemand } from '../pool/sandbox-spec.js';
import type { FreshRunOptions } from '../types/internal.js';
import type { ProgramOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import { after, CLOSE_WAIT_MS } from './killing.js';
import { closeResultFds } from './result.js';
import { Running } from './running.js';
import { SandboxLease } from './sandbox-lease.js';
import type { GivenFd } from './stdio/stdio.js';

const NO_OPTIONS: FreshRunOptions = Object.freeze({});

/** The request must have been checked. */
export function runOneShot(
  core: EngineCore,
  file: string,
  args: readonly string[] = [],
  options: FreshRunOptions = NO_OPTIONS,
): Promise<RunResult> {
  return traced(() => carryOut(core, file, args, options), spanFacts);
}

/** Nothing of what the program is given, or is called. */
function spanFacts(): SpanFacts<RunResult> {
  return {
    name: 'sbx.run',
    describe: ({ status, exitCode, usage }) => ({
      'sbx.status': status,
      'sbx.cpu_seconds': usage.cpuTimeMs / 1000,
      'sbx.wall_seconds': usage.wallTimeMs / 1000,
      ...(exitCode === null ? {} : { 'process.exit.code': exitCode }),
    }),
  };
}

async function carryOut(
  core: EngineCore,
  file: string,
  args: readonly string[],
  options: FreshRunOptions,
): Promise<RunResult> {
  core.checkOpen();
  const { signal } = options;
  signal?.throwIfAborted();
  checkCeilings(options.limits, core.options.ceilings);
  const limits = resolveLimits(core.limits, options.limits);
  const waiting = core.queue.acquire(signal);
  if (waiting !== undefined) await waiting;
  const startedAt = performance.now();
  try {
    const { result } = await startInFresh(core, { file, args, options, limits, spawned: false });
    return await result;
  } finally {
    core.queue.release(performance.now() - startedAt);
  }
}

/** A living program with a sandbox of its own, outside the queue. The request must have been checked. */
export async function spawnOneShot(
  core: EngineCore,
  file: string,
  args: readonly string[] = [],
  options: FreshRunOptions = NO_OPTIONS,
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
  options: FreshRunOptions;
  limits: ResolvedLimits;
  given?: readonly GivenFd[];
  /** See `ProgramRequest`. */
  pingPongGroup?: number;
  /** The caller holds streams, and wants to know that it executes. */
  spawned: boolean;
  /**
   * In a sandbox that is made now, not in one that stood ready: process and files are no older than the
   * request.
   */
  onDemand?: boolean;
}

/** A program that was started; `result` resolves or rejects once its sandbox is released. */
export interface Started {
  running: Running;
  result: Promise<RunResult>;
}

/**
 * Starts a program that the queue has admitted. Rejects when the program could not be started; a spawned one
 * then executes.
 */
export async function startInFresh(core: EngineCore, run: OneShot): Promise<Started> {
  const { options, limits, spawned } = run;
  const spec = core.sandboxSpec(options, limits, options.pty !== undefined);
  const taken = SandboxLease.acquire(core, run.onDemand === true ? onDemand(spec) : spec);
  const lease = taken instanceof Promise ? await taken : taken;
  const oneShot = new OneShotLease(core, lease);
  let started: Started;
  try {
    started = oneShot.holdUntilEnd(await start(lease, run), options, spawned);
  } catch (error) {
    oneShot.release(false);
    throw error;
  }
  if (spawned) await started.running.started;
  return started;
}

/** Holds the sandbox of a program that executes already, alone in it, until the program ends. */
export function holdUntilEnd(lease: SandboxLease, running: Running, options: FreshRunOptions): Started {
  return new OneShotLease(lease.core, lease).holdUntilEnd(running, options, true);
}

async function start(lease: SandboxLease, run: OneShot): Promise<Running> {
  const { file, args, options, limits, given, pingPongGroup, spawned } = run;
  options.signal?.throwIfAborted();
  const request = { file, args, options, limits, oneShot: true, notify: spawned, given, pingPongGroup };
  return Running.start(lease, request);
}

/** A leased sandbox that one program has to itself: released with the program, or when the engine closes. */
class OneShotLease {
  live: Running | undefined;
  readonly #core: EngineCore;
  readonly #lease: SandboxLease;
  readonly #closer = () => this.#close();

  constructor(core: EngineCore, lease: SandboxLease) {
    this.#core = core;
    this.#lease = lease;
    core.closers.add(this.#closer);
  }

  holdUntilEnd(running: Running, options: FreshRunOptions, spawned: boolean): Started {
    this.live = running;
    const result = untilAborted(running, options).finally(() => this.release(spawned));
    if (spawned) result.catch(() => undefined); // reported by `started`, and to whoever awaits the result
    return { running, result };
  }

  /**
   * The program is over. With `streams`, what it wrote may still be unread: the engine's end is the last
   * moment for that.
   */
  release(streams: boolean): void {
    const forget = () => void this.#core.closers.delete(this.#closer);
    if (streams) void this.live!.stdio.allRead().then(forget);
    else forget();
    if (this.#lease.alive === 0) this.#lease.closeAfterEnd();
    else this.#lease.close();
  }

  async #close(): Promise<void> {
    if (this.live?.ended === false) this.live.end();
    const graceMs = this.live?.graceMs ?? 0;
    await Promise.race([this.live?.result.catch(() => undefined), after(graceMs + CLOSE_WAIT_MS)]);
    this.live?.stdio.closeStreams();
    this.#lease.close();
  }
}

/**
 * Abort kills the program and all it started, and waits for that. Then it rejects with the signal's reason,
 * unless the caller wants to see how it ended.
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
    closeResultFds(result);
    throw signal.reason;
  } finally {
    release();
  }
}
