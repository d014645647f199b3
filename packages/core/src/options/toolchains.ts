/** Toolchains outside the folders that every sandbox sees: a Go of its own, one of rustup or nvm, a venv. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidOptionsError } from '../errors.js';
import { statAt } from '../look-at.js';
import type { MountRow } from '../types/mounts.js';
import { quote } from './describe.js';
import { checkAbsolutePath } from './mount-rules.js';
import { type Problem, problem, within, wrongType } from './problem.js';

const TOOLCHAINS_MAX = 32;

/** Checks `EngineOptions.toolchains`. */
export function checkToolchains(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType("an array of folders, such as ['/usr/local/go']", value);
  if (value.length > TOOLCHAINS_MAX)
    return problem('range', `must have at most ${TOOLCHAINS_MAX} entries`, `${value.length}`);
  for (const [index, path] of value.entries()) {
    const found = checkToolchain(path);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function checkToolchain(path: unknown): Problem | null {
  const found = checkAbsolutePath(path);
  if (found !== null) return found;
  if (isFolder(path as string)) return null;
  return problem('format', 'must be a folder of the host', quote(path as string));
}

/**
 * Rows that bring toolchains in, read-only, at their own paths; none for those that other rows show already.
 */
export function toolchainRows(toolchains: readonly string[], rows: readonly MountRow[]): MountRow[] {
  return toolchains
    .filter((path) => !rows.some((row) => shows(row, path)))
    .map((path) => ({ kind: 'bind', source: path, target: path, executable: true }));
}

/**
 * A venv is links to an interpreter elsewhere. One that is not inside would be passed over for the system's
 * own, and the venv's packages missed without a word. Throws `InvalidOptionsError`.
 */
export function checkInterpreters(toolchains: readonly string[], rows: readonly MountRow[]): void {
  for (const [index, path] of toolchains.entries()) {
    const python = interpreterOf(path);
    // Its folder: on overlayfs a file may have another device than the folder that it is in.
    if (python === null || rows.some((row) => shows(row, dirname(python)))) continue;
    throw new InvalidOptionsError({
      field: `options.toolchains[${index}]`,
      rule: 'conflict',
      expected: `must come with its interpreter, ${python}, which is not inside`,
      got: quote(path),
      hint: `Give ${dirname(dirname(python))} as a toolchain, too.`,
    });
  }
}

/** Of a venv, on the host; `null` where there is none. */
function interpreterOf(path: string): string | null {
  const python = `${path}/bin/python3`;
  return existsSync(`${path}/pyvenv.cfg`) && existsSync(python) ? realpathSync(python) : null;
}

function shows(row: MountRow, path: string): boolean {
  if (row.kind !== 'bind' || (row.target ?? row.source) !== row.source) return false;
  if (path === row.source) return true;
  // A file system of its own below the folder is not in the bind of the folder.
  return path.startsWith(`${row.source}/`) && deviceOf(path) === deviceOf(row.source);
}

/**
 * The folders put before the default PATH: the `bin` of each toolchain, or its folder where there is none.
 * Empty without toolchains.
 */
export function toolchainPath(toolchains: readonly string[] = []): string {
  return toolchains.map((path) => `${isFolder(`${path}/bin`) ? `${path}/bin` : path}:`).join('');
}

function isFolder(path: string): boolean {
  return statAt(path)?.isDirectory() ?? false;
}

function deviceOf(path: string): number | undefined {
  return statAt(path)?.dev;
}
