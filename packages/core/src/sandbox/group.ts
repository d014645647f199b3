/** Several programs at once, each in a fresh sandbox, joined by pipes. */
import type { EngineCore } from '../engine/core.js';
import { SbxError } from '../errors.js';
import { checkCeilings, resolveLimits } from '../options/limits.js';
import { runInFresh } from '../program/one-shot.js';
import type { GivenFd } from '../program/wiring.js';
import type { Output } from '../streams/output.js';
import { Relay } from '../streams/relay.js';
import type { GroupRequest, GroupResult, OneShotOptions, RunResult } from '../types.js';

/** The request must have been checked. One group takes one place in the queue, however many programs it has. */
export async function runGroup(core: EngineCore, request: GroupRequest): Promise<GroupResult> {
  core.checkOpen();
  request.signal?.throwIfAborted();
  for (const [index, { limits }] of request.programs.entries()) {
    checkCeilings(limits, core.options.ceilings, `request.programs[${index}].limits`);
  }
  const waiting = core.queue.enter(request.signal);
  if (waiting !== undefined) await waiting;
  const startedAt = performance.now();
  try {
    return await runJoined(core, request);
  } finally {
    core.queue.leave(performance.now() - startedAt);
  }
}

async function runJoined(
  core: EngineCore,
  { programs, pipes = [], signal }: GroupRequest,
): Promise<GroupResult> {
  const given: GivenFd[][] = programs.map(() => []);
  const relays = openPipes(core, pipes, given);
  // Cancels the others when one cannot be started, and all when the caller wants it.
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal!.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const runs = programs.map(({ file, args = [], ...options }, index) => {
      const limits = resolveLimits(core.limits, options.limits);
      const run = {
        file,
        args,
        options: { ...options, signal: stop.signal } as OneShotOptions,
        limits,
        given: given[index],
      };
      return runInFresh(core, run).catch((error) => {
        stop.abort(error);
        throw error;
      });
    });
    const settled = await Promise.allSettled(runs);
    const failed = settled.find((run) => run.status === 'rejected');
    if (failed !== undefined) throw firstReason(stop.signal, failed);
    const recordings = await Promise.all(
      relays.map((relay): Output | null | Promise<Output> => relay?.finish() ?? null),
    );
    return { results: settled.map((run) => (run as PromiseFulfilledResult<RunResult>).value), recordings };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Ends that were never sent, because a program did not get that far.
    core.native.closeFds(
      given
        .flat()
        .filter(({ sent }) => sent !== true)
        .map(({ fd }) => fd),
    );
    for (const relay of relays) relay?.close();
  }
}

/** What came first is why: the others were only stopped. */
function firstReason(stop: AbortSignal, failed: PromiseRejectedResult): unknown {
  return stop.aborted ? stop.reason : failed.reason;
}

/** Makes every pipe; its ends go to `given`, by program. */
function openPipes(core: EngineCore, pipes: GroupRequest['pipes'], given: GivenFd[][]): (Relay | null)[] {
  return (pipes ?? []).map(({ from, to, record }) => {
    const [read, write] = makePipe(core);
    given[from.index]!.push({ target: from.fd, fd: write });
    if (record === undefined) {
      given[to.index]!.push({ target: to.fd, fd: read });
      return null;
    }
    const [secondRead, secondWrite] = makePipe(core);
    given[to.index]!.push({ target: to.fd, fd: secondRead });
    return new Relay(core.native, read, secondWrite, record.maxBytes);
  });
}

function makePipe(core: EngineCore): [number, number] {
  const pipe = core.native.pipe();
  if (typeof pipe !== 'number') return pipe;
  throw new SbxError({ code: 'SBX_INTERNAL', message: `The host could not make a pipe (errno ${-pipe}).` });
}
