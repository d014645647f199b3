/**
 * Paths inside a sandbox as callers write them. They are names, never resolved by the host: which trees there
 * are, and links inside, are the business of `files/trees.ts`. This file only refuses what cannot be meant
 * and gives one spelling to the rest.
 */

import { kernelTextProblem } from './check.js';
import { quote } from './describe.js';
import { type Problem, problem, throwProblem, wrongType } from './problem.js';

/** Longest path the kernel takes, in bytes: PATH_MAX less its NUL. */
export const PATH_BYTES_MAX = 4095;
/** Longest name of one file or folder, in bytes: NAME_MAX. */
export const NAME_BYTES_MAX = 255;

/** How a path is used. */
export interface WorkPathOptions {
  /** The work folder itself (`'.'`) is legal, and comes back as `'.'`. Default false. */
  root?: boolean;
  /** A trailing slash is legal, since it may be a folder. Default: as `root`. */
  folder?: boolean;
  /** Name of the argument, for the message. Default `'path'`. */
  field?: string;
}

/**
 * The one spelling of a path: relative to the work folder or absolute, single slashes, no `.` parts, none at
 * the end. Throws `InvalidOptionsError` for an empty or too long one, a NUL byte, a lone surrogate, a `..`
 * part.
 */
export function checkWorkPath(path: unknown, options: WorkPathOptions = {}): string {
  const { root = false, folder = root, field = 'path' } = options;
  const found = workPathProblem(path, folder);
  if (found !== null) throwProblem(field, found);
  const normal = normalize(path as string);
  if (normal === '' && !root) {
    const problem = folder ? theWorkFolder(path as string) : notAFile(path as string);
    throwProblem(field, problem);
  }
  return normal === '' ? '.' : normal;
}

/** For files to write or read: not the work folder itself. Allocates nothing when fine. */
export function checkFilePath(value: unknown): Problem | null {
  const found = workPathProblem(value, false);
  if (found !== null) return found;
  const path = value as string;
  // Only a path of dots and slashes can be the work folder itself, and such a one begins with a dot.
  return path.charCodeAt(0) === DOT && normalize(path) === '' ? notAFile(path) : null;
}

const SLASH = 0x2f;
const DOT = 0x2e;

function workPathProblem(path: unknown, folder: boolean): Problem | null {
  if (typeof path !== 'string') return wrongType('a path (a string)', path);
  if (path.length === 0) return problem('format', 'must not be empty');
  const found = kernelTextProblem(path);
  if (found !== null) return found;
  if (!folder && path.charCodeAt(path.length - 1) === SLASH) return notAFile(path);
  if (path.length * 3 > PATH_BYTES_MAX && Buffer.byteLength(path) > PATH_BYTES_MAX) {
    return problem('size', `must be at most ${PATH_BYTES_MAX} bytes`, `${Buffer.byteLength(path)} bytes`);
  }
  return partsProblem(path);
}

/** Walks the parts without cutting the string up. */
function partsProblem(path: string): Problem | null {
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    if (end - start === 2 && path.charCodeAt(start) === DOT && path.charCodeAt(start + 1) === DOT) {
      return problem('format', "must not have a '..' part: paths stay in the sandbox", quote(path));
    }
    if ((end - start) * 3 > NAME_BYTES_MAX && Buffer.byteLength(path.slice(start, end)) > NAME_BYTES_MAX) {
      return problem(
        'size',
        `must have names of at most ${NAME_BYTES_MAX} bytes`,
        quote(path.slice(start, end)),
      );
    }
    start = end + 1;
  }
  return null;
}

function normalize(path: string): string {
  if (isNormal(path)) return path;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return (path.charCodeAt(0) === SLASH ? '/' : '') + parts.join('/');
}

/** Already in the one spelling, which nearly all are. */
function isNormal(path: string): boolean {
  const last = path.length - 1;
  if (path.charCodeAt(0) === DOT && (last === 0 || path.charCodeAt(1) === SLASH)) return false;
  return !(path.includes('//') || path.includes('/./') || path.endsWith('/') || path.endsWith('/.'));
}

/** Refuses a path that is a folder by its name. */
export function notAFile(path: string): Problem {
  return problem('format', 'must name a file, not a folder', quote(path));
}

/** Refuses the work folder where what is in it is meant. */
function theWorkFolder(path: string): Problem {
  return problem('format', 'must name something in the work folder, not the folder itself', quote(path));
}
