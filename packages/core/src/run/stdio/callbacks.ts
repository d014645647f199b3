/** `onStdout` and `onStderr`: whatever they throw fails the run. */
import { SbxError } from '../../errors.js';
import type { RunOptions } from '../../types/program.js';

/** The callback for each chunk of a captured descriptor, if there is one. */
export function callbackFor(
  target: number,
  { onStdout, onStderr }: RunOptions,
  fail: (error: SbxError) => void,
): ((chunk: Uint8Array) => void) | undefined {
  const callback = target === 1 ? onStdout : target === 2 ? onStderr : undefined;
  if (callback === undefined) return undefined;
  const refuse = (cause: unknown) => {
    const message = `${target === 1 ? 'onStdout' : 'onStderr'} threw.`;
    fail(new SbxError({ code: 'SBX_STREAM_CALLBACK', message, cause }));
  };
  return (chunk) => {
    try {
      const returned = callback(chunk);
      if (isThenable(returned)) Promise.resolve(returned).catch(refuse);
    } catch (cause) {
      refuse(cause);
    }
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
