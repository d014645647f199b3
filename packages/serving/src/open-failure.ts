/** What a command says of an engine that did not open. */
import { isSbxError } from '@sbx/core';

/**
 * The message of `error`; where guarantees are missing, with `advice` on the command's own flag in place of
 * an option of `Engine.open`.
 */
export function openFailureText(error: unknown, advice: string): string {
  const { message } = error as Error;
  if (!isSbxError(error) || error.code !== 'SBX_REQUIRED_FEATURE_MISSING') return message;
  const { problem, fix } = error.details;
  if (fix === undefined) return message; // of an engine of a cluster
  return `${problem} ${fix} \`sbx doctor --fix\` prints the commands that mend it. ${advice}`;
}
