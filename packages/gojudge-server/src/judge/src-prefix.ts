/**
 * Which files of the host requests may name in `src`: those below a folder of `-src-prefix`, links resolved
 * on both sides, whole components compared. The name is looked at when the request is read, and what was
 * opened when it is opened: between the two a name may come to mean another file.
 */
import { readlinkSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { errnoOf, errnoText } from '../errno.js';
import { BadRequest } from '../errors.js';

/** `null`: all of the host. */
export type Prefixes = readonly string[] | null;

/** Holds nothing, so it is not of the host: requests use it as an empty file. */
const NULL_DEVICE = '/dev/null';

/** Throws `BadRequest`. */
export function checkSourcePath(path: string, prefixes: Prefixes): void {
  if (prefixes === null || path === NULL_DEVICE) return;
  if (prefixes.length === 0) throw refusal(path, prefixes);
  if (!isAllowed(realPath(resolve(path)), prefixes)) throw refusal(path, prefixes);
}

/**
 * The same of what a name has led to: `named` is a descriptor that only names it (O_PATH). Throws
 * `BadRequest`.
 */
export function checkOpened(named: number, path: string, prefixes: Prefixes): void {
  if (prefixes === null || path === NULL_DEVICE) return;
  if (!isAllowed(readlinkSync(`/proc/self/fd/${named}`), prefixes)) throw refusal(path, prefixes);
}

function isAllowed(real: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => isBelow(real, realPathOrSame(resolve(prefix))));
}

/** go-judge's text, and without a folder what to do. */
function refusal(path: string, prefixes: readonly string[]): BadRequest {
  const fix = prefixes.length === 0 ? ': start the server with -src-prefix to allow a folder' : '';
  return new BadRequest(`file (${path}) does not under ([${prefixes.join(' ')}])${fix}`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new BadRequest(`lstat ${path}: ${errnoText(errnoOf(error))}`);
  }
}

/** A prefix that does not exist allows what is below its name, which is nothing. */
function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
