import type { Engine } from '@sbx/core';
import { hostInput } from './host-input.js';
import type { RunOutcome, RunPlan } from './types.js';
import { writeSome } from './write.js';

/**
 * A one-shot run with its output kept, within the bound of `outputBytes`; `pass` shows it as it comes as
 * well.
 */
export async function captureRun(
  engine: Engine,
  plan: RunPlan,
  signal: AbortSignal,
  pass: boolean,
): Promise<RunOutcome> {
  const { file, args, options, copyOut } = plan;
  const input = hostInput();
  const maxBytes = options.limits?.outputBytes ?? Number.POSITIVE_INFINITY;
  const show = {
    onStdout: writeSome(process.stdout, maxBytes),
    onStderr: writeSome(process.stderr, maxBytes),
  };
  try {
    const result = await engine.run(file, args, {
      ...options,
      ...(pass ? show : {}),
      copyOut,
      signal,
      stdin: { stream: input },
    });
    return { result, files: result.files, fileErrors: result.fileErrors };
  } finally {
    input.stop();
  }
}
