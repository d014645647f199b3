/** `sbx run`: words of the command line → request → (compilation) → one run → what the user sees. */
import type { Engine } from '@sbx/core';
import { askToEnd } from '../ending.js';
import { openEngine } from '../open-engine.js';
import { captureRun } from '../run/capture.js';
import { CompileFailed, planRun, rootFor } from '../run/compile.js';
import { saveFiles } from '../run/copy-out.js';
import { watchInterrupts } from '../run/interrupts.js';
import { liveLineFor } from '../run/live-line.js';
import { Interrupted, isOutputFailure } from '../run/output-failure.js';
import { reportCompileFailure, reportInterrupt, reportRun } from '../run/report.js';
import { makeRequest, type RunInput, type RunRequest } from '../run/request.js';
import { streamRun } from '../run/stream.js';
import { terminalRun } from '../run/terminal-run.js';
import type { RunOutcome, RunPlan } from '../run/types.js';

/** Gives the exit code; throws what `reportFailure` tells. */
export async function runCommand(input: RunInput): Promise<number> {
  const request = await makeRequest(input);
  const interrupts = watchInterrupts(askToEnd);
  try {
    const exitCode = await runOnEngine(request, interrupts.signal);
    interrupts.checkOutput();
    return exitCode;
  } catch (error) {
    const reason = interrupts.signal.aborted ? interrupts.signal.reason : sourceOf(error);
    if (reason instanceof Interrupted) return reportInterrupt(request, reason);
    throw reason;
  } finally {
    interrupts.stop();
  }
}

/** Where the engine calls us for output, what we throw is the cause of what it throws. */
function sourceOf(error: unknown): unknown {
  const { cause } = error as { cause?: unknown };
  return isOutputFailure(cause) ? cause : error;
}

async function runOnEngine(request: RunRequest, signal: AbortSignal): Promise<number> {
  const engine = await openEngine(request.allowDegraded, request.toolchains, rootFor(request));
  try {
    return await runWith(engine, request, signal);
  } finally {
    await engine.close();
  }
}

async function runWith(engine: Engine, request: RunRequest, signal: AbortSignal): Promise<number> {
  try {
    const plan = await planRun(engine, request, signal);
    const outcome = await runnerFor(request)(engine, plan, signal);
    signal.throwIfAborted();
    const saved = await saveFiles(outcome.files, request.copyOut);
    return reportRun(request, plan, outcome, saved);
  } catch (error) {
    if (error instanceof CompileFailed) return reportCompileFailure(request, error.compilation);
    throw error;
  }
}

type Runner = (engine: Engine, plan: RunPlan, signal: AbortSignal) => Promise<RunOutcome>;

function runnerFor(request: RunRequest): Runner {
  if (request.tty) return terminalRun;
  // With a bound on output everything fits in memory, and the engine itself watches the bound.
  const isBounded = request.json || typeof request.limits.outputBytes === 'number';
  if (isBounded) {
    const line = request.json ? null : liveLineFor(request);
    return (engine, plan, signal) => captureRun(engine, plan, signal, line);
  }
  return (engine, plan, signal) => streamRun(engine, plan, signal, liveLineFor(request));
}
