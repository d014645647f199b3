/** Settings: defaults and checks. */
import { FifoError } from '../errors.js';
import { checkOptionNames } from '../known-options.js';
import type { FifoEvent, FifoOptions } from './types.js';

/** Defaults of `FifoOptions`. */
export const FIFO_DEFAULTS = { graceMs: 50, giveUpMs: null } as const;

/** How long a further reader is looked for when several requests came at once. */
export const EXTRA_LOOK_MS = 100;
/** Requests without a reader that are remembered. */
export const EXTRA_COUNT_MAX = 64;
/**
 * The sandbox of a program that is over is not kept longer than this for a client that fetches its last reply
 * late.
 */
export const RELEASE_MS = 5000;
/** A killed program is gone in milliseconds; after this the last reply goes out without its final figures. */
export const KILL_WAIT_MS = 5000;

/** All decided. */
export interface Settings {
  dir: string | null;
  group: number | null;
  layout: 'two-pipe' | 'legacy';
  pipes: boolean;
  graceMs: number;
  giveUpMs: number | null;
  onEvent: (event: FifoEvent) => void;
}

const KNOWN = ['dir', 'group', 'layout', 'pipes', 'graceMs', 'giveUpMs', 'onEvent'];
const MS_MAX = 2 ** 31 - 1;

/** Throws a `FifoError` for what cannot be meant. */
export function resolveOptions(options: FifoOptions = {}): Settings {
  checkOptionNames(options, KNOWN);
  const { dir = null, group = null, layout = 'two-pipe', pipes = layout === 'legacy' } = options;
  const { graceMs = FIFO_DEFAULTS.graceMs, giveUpMs = FIFO_DEFAULTS.giveUpMs } = options;
  const { onEvent = () => undefined } = options;
  if (dir !== null && (typeof dir !== 'string' || dir === '' || dir.includes('\0')))
    throw refuse('dir', 'must be a path');
  if (layout !== 'two-pipe' && layout !== 'legacy') throw refuse('layout', "must be 'two-pipe' or 'legacy'");
  if (layout === 'legacy' && !pipes) throw refuse('pipes', 'belong to the legacy layout');
  if (typeof pipes !== 'boolean') throw refuse('pipes', 'must be true or false');
  if (group !== null) checkInteger('group', group, 2 ** 32 - 2);
  checkInteger('graceMs', graceMs, MS_MAX);
  if (giveUpMs !== null) checkInteger('giveUpMs', giveUpMs, MS_MAX);
  if (typeof onEvent !== 'function') throw refuse('onEvent', 'must be a function');
  return { dir, group, layout, pipes, graceMs, giveUpMs, onEvent };
}

function checkInteger(field: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= max) return;
  throw refuse(field, `must be an integer from 0 to ${max}; got ${String(value)}`);
}

function refuse(field: string, expected: string): FifoError {
  const details = { field, expected };
  return new FifoError({ code: 'SBX_FIFO_INVALID_OPTIONS', message: `${field} ${expected}.`, details });
}
