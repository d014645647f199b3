/** How many files this process, and the helper that it starts, may have open. */
import { readFileSync } from 'node:fs';
import { UnsupportedError } from '../errors.js';

const OPEN_FILES_LEAST = 320;

/** Hard limit of open files of this process, which the helper inherits. */
export function hardOpenFiles(): number {
  const match = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return match === null ? Number.MAX_SAFE_INTEGER : Number(match[1]);
}

/** Init places a program's descriptors by way of numbers above all that they can have. */
export function checkOpenFileRoom(max: number): void {
  if (max >= OPEN_FILES_LEAST) return;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `This process may have ${max} files open at the most, and the engine needs ${OPEN_FILES_LEAST}.`,
    hint: 'Raise the hard limit (`ulimit -Hn`, LimitNOFILE=).',
  });
}
