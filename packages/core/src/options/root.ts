/**
 * `EngineOptions.root`: what may be asked for. What the host has of it is looked at when the engine opens.
 */
import type { EngineOptions } from '../types/engine.js';
import type { HashedProgram, MinimalRoot, MountRow } from '../types/mounts.js';
import { by, checkTable, kernelTextProblem, table } from './check.js';
import { quote } from './describe.js';
import { checkAbsolutePath } from './mount-rules.js';
import { type Problem, problem, within, wrongType, wrongWord } from './problem.js';

/** The minimal root that `root: 'minimal'` stands for. */
export const MINIMAL_ROOT: Readonly<MinimalRoot> = Object.freeze({
  packages: Object.freeze(['libc6', 'dash']),
  optionalPackages: Object.freeze(['python3', 'nodejs']),
});

const ENTRY_COUNT_MAX = 256;
const WORDS = ['host', 'minimal'] as const;

const PROGRAM_TABLE = table<HashedProgram>(
  'a program of a minimal root',
  { path: by(checkAbsolutePath), sha256: by(checkHash) },
  { required: ['path'] },
);

const PACKAGES = by((value) => checkEntries(value, 'packages', checkPackage));
const ROOT_TABLE = table<MinimalRoot>('a minimal root', {
  packages: PACKAGES,
  optionalPackages: PACKAGES,
  programs: by((value) => checkEntries(value, 'programs', checkProgram)),
});

/** Checks `EngineOptions.root`. */
export function checkRoot(value: unknown): Problem | null {
  if (typeof value === 'string')
    return (WORDS as readonly string[]).includes(value) ? null : wrongWord(value, WORDS);
  if (typeof value !== 'object' || value === null)
    return wrongType("'host', 'minimal' or a list of packages", value);
  return checkTable(value, ROOT_TABLE) ?? checkNotEmpty(value as MinimalRoot);
}

/** The list behind the option; `null`: the root is what the mounts say. */
export function minimalRootOf({ root = 'host' }: EngineOptions): Readonly<MinimalRoot> | null {
  if (root === 'host') return null;
  return root === 'minimal' ? MINIMAL_ROOT : root;
}

/** Folders that a minimal root brings itself: a row for one of them would show the host's again. */
const OWN_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];

/** Rows that would take a minimal root away. They must have passed `checkMounts`. */
export function checkBesideRoot(options: EngineOptions): Problem | null {
  if (minimalRootOf(options) === null) return null;
  for (const [index, row] of (options.mounts ?? []).entries()) {
    const target = targetOf(row);
    if (!OWN_FOLDERS.includes(target)) continue;
    const hint = 'Name packages in `root`, or give a folder below it.';
    const found = problem('conflict', 'must not stand beside a minimal root', quote(target), hint);
    return within(`.mounts[${index}]`, found);
  }
  return null;
}

function targetOf(row: MountRow): string {
  return row.kind === 'bind' ? (row.target ?? row.source) : row.target;
}

function checkNotEmpty({ packages = [], optionalPackages = [], programs = [] }: MinimalRoot): Problem | null {
  if (packages.length + optionalPackages.length + programs.length > 0) return null;
  const hint = "An example: { packages: ['dash', 'python3'] }.";
  return problem('required', 'must name at least one package or program', null, hint);
}

function checkEntries(value: unknown, what: string, check: (item: unknown) => Problem | null) {
  if (!Array.isArray(value)) return wrongType(`an array of ${what}`, value);
  if (value.length > ENTRY_COUNT_MAX)
    return problem('size', `must have at most ${ENTRY_COUNT_MAX} ${what}`, `${value.length}`);
  for (const [index, item] of value.entries()) {
    const found = check(item);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

/** As Debian's policy names them; an architecture may follow. */
function checkPackage(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('the name of a package', value);
  if (/^[a-z0-9][a-z0-9+.-]{0,127}(:[a-z0-9-]{1,32})?$/.test(value)) return null;
  const hint = "A file is named in `programs`. A package's name has small letters, digits, '+', '-' and '.'.";
  return problem('format', 'must be the name of a package', quote(value), hint);
}

function checkProgram(value: unknown): Problem | null {
  if (typeof value !== 'string') return checkTable(value, PROGRAM_TABLE);
  if (value.startsWith('/')) return checkAbsolutePath(value);
  if (/^[^/\0]{1,255}$/.test(value) && value !== '.' && value !== '..') return kernelTextProblem(value);
  return problem('format', 'must be an absolute path or the name of a program', quote(value));
}

function checkHash(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('a SHA-256 in hexadecimal', value);
  return /^[0-9a-f]{64}$/i.test(value) ? null : problem('format', 'must be 64 hexadecimal digits');
}
