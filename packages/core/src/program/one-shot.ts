/** The one-shot form and hot path: a fresh sandbox, files in, one program, files out, everything gone. */
import type { EngineCore } from '../engine/core.js';
import { ClosedError } from '../errors.js';
import { copyIn } from '../files/copy.js';
import { checkCeilings, type ResolvedLimits, resolveLimits } from '../options/limits.js';
import type { OneShotOptions, RunResult } from '../types.js';
import { after, CLOSE_WAIT_MS } from './killing.js';
import { Place } from './place.js';
import { Running, workFolderOf } from './running.js';
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
    return await runInFresh(core, { file, args, options, limits });
  } finally {
    core.queue.leave(performance.now() - startedAt);
  }
}

interface OneShot {
  file: string;
  args: readonly string[];
  options: OneShotOptions;
  limits: ResolvedLimits;
  given?: readonly GivenFd[];
}

/** As above, from the place in the queue on. */
export async function runInFresh(core: EngineCore, run: OneShot): Promise<RunResult> {
  const { file, args, options, limits, given } = run;
  const { signal } = options;
  const shape = core.shape(options, limits, options.pty !== undefined);
  const taken = Place.take(core, shape);
  const place = taken instanceof Promise ? await taken : taken;
  let live: Running | undefined;
  const closer = async () => {
    live?.end();
    await Promise.race([live?.result.catch(() => undefined), after(CLOSE_WAIT_MS)]);
    place.close();
  };
  core.closers.add(closer);
  try {
    signal?.throwIfAborted();
    if (options.files !== undefined) await copyIn(workFolderOf(place), options.files);
    if (place.closed) throw new ClosedError('The engine');
    const started = Running.start(place, {
      file,
      args,
      options,
      limits,
      oneShot: true,
      notify: false,
      given,
    });
    const running = started instanceof Promise ? await started : started;
    live = running;
    return signal === undefined ? await running.result : await untilAborted(running, signal);
  } finally {
    core.closers.delete(closer);
    if (place.alive === 0) place.closeAfterEnd();
    else place.close();
  }
}

/** Abort kills the program and all it started, waits for that, then rejects with the signal's reason. */
export async function untilAborted(running: Running, signal: AbortSignal): Promise<RunResult> {
  const onAbort = () => running.end();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const result = await running.result;
    if (signal.aborted && result.status === 'killed') throw signal.reason;
    return result;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
