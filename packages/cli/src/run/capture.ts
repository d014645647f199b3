import type { Engine } from '@sbx/core';
import { hostInput } from './host-input.js';
import { besideLine, type LiveLine } from './live-line.js';
import type { RunOutcome, RunPlan } from './types.js';
import { writeSome } from './write.js';

/**
 * A one-shot run with its output kept, within the bound of `outputBytes`. With a line, its output is shown as
 * it comes as well.
 */
export async function captureRun(
  engine: Engine,
  plan: RunPlan,
  signal: AbortSignal,
  line: LiveLine | null,
): Promise<RunOutcome> {
  const { file, args, options, copyOut } = plan;
  const input = hostInput();
  const shown =
    line === null ? {} : callbacksFor(line, options.limits?.outputBytes ?? Number.POSITIVE_INFINITY, signal);
  try {
    const stdin = { stream: input };
    const program = await engine.spawn(file, args, { ...options, ...shown, copyOut, signal, stdin });
    line?.follow(program);
    const result = await program.result;
    return { result, files: result.files, fileErrors: result.fileErrors };
  } finally {
    line?.stop();
    input.stop();
  }
}

const callbacksFor = (line: LiveLine, maxBytes: number, signal: AbortSignal) => ({
  onStdout: besideLine(line, process.stdout, writeSome(process.stdout, maxBytes, signal)),
  onStderr: besideLine(line, process.stderr, writeSome(process.stderr, maxBytes, signal)),
});
