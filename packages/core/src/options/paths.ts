/**
 * Paths of the work folder as callers write them. They are names, never resolved by the host: links inside are the native
 * layer's business (`openat2`, beneath). This file only refuses what cannot be meant and gives one spelling to the rest.
 */

import { quote } from './describe.js';
import { nulProblem, type Problem, problem, throwProblem, wrongType } from './problem.js';

/** Longest path the kernel takes, in bytes: PATH_MAX less its NUL. */
export const PATH_BYTES_MAX = 4095;
/** Longest name of one file or folder, in bytes: NAME_MAX. */
export const NAME_BYTES_MAX = 255;

/** How a path is used. */
export interface WorkPathOptions {
  /** Absolute paths below this folder (the engine's `workDir`) are taken as well. Default: relative ones only. */
  workDir?: string;
  /** The work folder itself (`'.'`) is legal, and comes back as `'.'`. Default false. */
  root?: boolean;
  /** A trailing slash is legal, since it may be a folder. Default: as `root`. */
  folder?: boolean;
  /** Name of the argument, for the message. Default `'path'`. */
  field?: string;
}

/**
 * The one spelling of a path of the work folder: relative, single slashes, no `.` parts. Throws `InvalidOptionsError` for
 * an empty or too long one, a NUL byte, a `..` part, or an absolute one outside `workDir`.
 */
export function checkWorkPath(path: unknown, options: WorkPathOptions = {}): string {
  const { workDir, root = false, folder = root, field = 'path' } = options;
  const inside = workDir === undefined ? path : stripWorkDir(path, workDir);
  const found = workPathProblem(inside, folder);
  if (found !== null) throwProblem(field, found);
  const normal = normalize(inside as string);
  if (normal === '' && !root) throwProblem(field, notAFile(path as string));
  return normal === '' ? '.' : normal;
}

/** For files to write or read: relative, and not the work folder itself. Allocates nothing when fine. */
export function checkFilePath(value: unknown): Problem | null {
  const found = workPathProblem(value, false);
  if (found !== null) return found;
  const path = value as string;
  // Only a path of dots and slashes can be the folder itself, and such a one begins with a dot.
  return path.charCodeAt(0) === DOT && normalize(path) === '' ? notAFile(path) : null;
}

const SLASH = 0x2f;
const DOT = 0x2e;

function workPathProblem(path: unknown, folder: boolean): Problem | null {
  if (typeof path !== 'string') return wrongType('a path (a string)', path);
  if (path.length === 0) return problem('format', 'must not be empty');
  if (path.includes('\0')) return nulProblem(path);
  if (path.charCodeAt(0) === SLASH) return absolute(path);
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
      return problem('format', "must not have a '..' part: paths stay in the work folder", quote(path));
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
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** Already in the one spelling, which nearly all are. */
function isNormal(path: string): boolean {
  const last = path.length - 1;
  if (path.charCodeAt(0) === DOT && (last === 0 || path.charCodeAt(1) === SLASH)) return false;
  return !(path.includes('//') || path.includes('/./') || path.endsWith('/') || path.endsWith('/.'));
}

/** `/w/a` → `a`; everything that is not below `workDir` stays, and is refused as absolute. */
function stripWorkDir(path: unknown, workDir: string): unknown {
  if (typeof path !== 'string' || !path.startsWith(workDir)) return path;
  if (path.length === workDir.length) return '.';
  if (path.charCodeAt(workDir.length) !== SLASH) return path;
  const rest = path.slice(workDir.length).replace(/^\/+/, '');
  return rest === '' ? './' : rest;
}

function absolute(path: string): Problem {
  const hint = 'Leave out the leading slash: it starts at the work folder.';
  return problem('format', 'must be a path inside the work folder', quote(path), hint);
}

function notAFile(path: string): Problem {
  return problem('format', 'must name a file, not a folder', quote(path));
}
