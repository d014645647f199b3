/** How much of the host's memory a call may hold, by what it may bring at the most. */
import { DEFAULT_LIMITS } from '@sbx/core';
import { PATH_CHARS_MAX } from '../sandboxes/walk.js';
import type { ToolContext } from './add-tool.js';

/** A control character in JSON: `\u0001`. */
const JSON_BYTES_PER_BYTE = 6;
/** As text, and in the structured result. */
const TIMES_IN_RESULT = 2;
/** Where nothing says how much output is captured. */
const OUTPUT_BYTES = DEFAULT_LIMITS.outputBytes ?? 2 ** 20;
/** Of a result that says little. */
export const SMALL_BYTES = 64 * 1024;

interface ProgramCall {
  sandbox?: string | undefined;
  limits?: { outputBytes?: number | undefined } | undefined;
}

/** Of a program: both outputs as they are captured, and what of them is shown. */
export function heldByProgram({ sandbox, limits }: ProgramCall, { session, options }: ToolContext): number {
  const captured = limits?.outputBytes ?? session.outputBytesOf(sandbox) ?? OUTPUT_BYTES;
  return SMALL_BYTES + 2 * (captured + heldByContent(options.shownBytesMax));
}

/** Of bytes that a result tells. */
export function heldByContent(bytes: number): number {
  return bytes * JSON_BYTES_PER_BYTE * TIMES_IN_RESULT;
}

/** Of the paths of one sandbox, once its folders have been listed. */
export const LIST_BYTES = heldByContent(PATH_CHARS_MAX);
