/**
 * Which files of the host requests may name in `src`: those below a folder of `-src-prefix`, links resolved
 * on both sides, whole components compared. The name is looked at when the request is read, and what was
 * opened when it is opened: between the two a name may come to mean another file.
 */
import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { EINVAL, ENOTDIR, errnoOf, errnoText } from '../errno.js';
import { BadRequest } from '../errors.js';

/** `null`: all of the host. */
export type Prefixes = readonly string[] | null;

/** Holds nothing, so it is not of the host: requests use it as an empty file. */
const NULL_DEVICE = '/dev/null';
/** Go follows no more on one path. */
const LINKS_MAX = 255;

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
    throw new BadRequest(whyNot(path) ?? `lstat ${path}: ${errnoText(errnoOf(error))}`);
  }
}

/**
 * Why an absolute path leads to no file, as Go's EvalSymlinks tells it: with the step that is not there,
 * links followed. `null` where nothing is wrong any more.
 */
function whyNot(path: string): string | null {
  const rest = stepsOf(path);
  let place = '/';
  for (let links = 0; rest.length > 0; ) {
    const next = join(place, rest.shift()!);
    const status = next.includes('\0') ? EINVAL : statusOf(next);
    if (typeof status === 'number') return `lstat ${next}: ${errnoText(status)}`;
    if (status.isSymbolicLink()) {
      links += 1;
      if (links > LINKS_MAX) return 'EvalSymlinks: too many links';
      const target = readlinkSync(next);
      if (target.startsWith('/')) place = '/';
      rest.unshift(...stepsOf(target));
    } else if (!status.isDirectory() && rest.length > 0) return errnoText(ENOTDIR);
    else place = next;
  }
  return null;
}

function stepsOf(path: string): string[] {
  return path.split('/').filter((step) => step !== '');
}

/** Of the place itself, a link not followed; an error number when there is none. */
function statusOf(place: string): Stats | number {
  try {
    return lstatSync(place);
  } catch (error) {
    return errnoOf(error);
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
