/**
 * The descriptors that a request asks for, and what becomes of the program when something is wrong with them.
 */

import type { ProgramRequest } from './request.js';
import type { SandboxLease, SignalCause } from './sandbox-lease.js';
import { callbackFor } from './stdio/callbacks.js';
import { Stdio } from './stdio/stdio.js';

const SIGKILL = 9;

export function stdioFor(
  { core, folder }: SandboxLease,
  { options, limits, oneShot, given }: ProgramRequest,
  program: { signal: (signal: number, cause: SignalCause) => void; fail: (error: unknown) => void },
): Stdio {
  return new Stdio({
    folder,
    options,
    outputBytes: limits.outputBytes,
    given: given ?? [],
    files: options.files,
    makesInputs: oneShot && core.options.proc !== 'none',
    makesOutputs: oneShot && given === undefined,
    onOverflow: () => program.signal(SIGKILL, 'output-limit'),
    onSourceError: program.fail,
    onData: (target) => callbackFor(target, options, program.fail),
  });
}
