/**
 * Whether a language's programs are inside the sandbox, and where, asked before anything of the caller's
 * starts: one short `sh` run per language and engine, remembered when all is there. What is missing is asked
 * again, since it may be installed meanwhile; and so is what an unlucky check has not told.
 */
import { DEFAULT_ENV, isSbxError } from '@sbx/core';
import { LanguageUnavailableError } from './errors.js';
import type { Language } from './language.js';
import type { RunEngine } from './types.js';

/**
 * Prints a line for each argument: `-` and its name when it is neither a program in PATH nor, when absolute,
 * an existing path; else where it is (a command that is built into the shell has its name alone).
 */
const SCRIPT =
  'for p do case $p in /*) [ -e "$p" ] && q=$p;; *) q=$(command -v "$p" 2>/dev/null);; esac && printf "%s\\n" "$q" || printf "%s\\n" "-$p"; done';

/**
 * What was looked for: the absolute path of each program that is there, by its name, and the names of the
 * others.
 */
interface Needs {
  programs: Programs;
  missing: readonly string[];
  /** The check was cut short, and the next one may tell more. */
  isUnlucky?: boolean;
}

/** Absolute paths inside the sandbox by the names that a language definition uses. */
export type Programs = ReadonlyMap<string, string>;

const checks = new WeakMap<RunEngine, Map<Language, Promise<Needs>>>();

/** Where the language's programs are. Throws `LanguageUnavailableError` when something is missing. */
export async function requireAvailable(language: Language, engine: RunEngine): Promise<Programs> {
  const { missing, programs } = await checkNeeds(language, engine);
  if (missing.length === 0) return programs;
  const { name, title, debianPackage = null } = language;
  throw new LanguageUnavailableError({ language: name, title, missing, debianPackage });
}

/** What of `language.needs` is not there. */
export async function missingNeeds(language: Language, engine: RunEngine): Promise<readonly string[]> {
  return (await checkNeeds(language, engine)).missing;
}

async function checkNeeds(language: Language, engine: RunEngine): Promise<Needs> {
  const known = checksOf(engine);
  const check = known.get(language) ?? look(language, engine);
  known.set(language, check);
  try {
    const needs = await check;
    if (needs.missing.length > 0 || needs.isUnlucky) known.delete(language);
    return needs;
  } catch (error) {
    known.delete(language);
    throw error;
  }
}

function checksOf(engine: RunEngine): Map<Language, Promise<Needs>> {
  const known = checks.get(engine) ?? new Map<Language, Promise<Needs>>();
  checks.set(engine, known);
  return known;
}

/** Nothing is known: the step itself will tell. */
const UNKNOWN: Needs = { programs: new Map(), missing: [] };

async function look(language: Language, engine: RunEngine): Promise<Needs> {
  const names = lookedFor(language);
  if (names.length === 0) return UNKNOWN;
  try {
    const env = { ...DEFAULT_ENV, ...language.env };
    const result = await engine.run('/bin/sh', ['-c', SCRIPT, 'sh', ...names], { env });
    // A check that did not end well says nothing about the language; the step itself will.
    if (!result.ok) return { ...UNKNOWN, isUnlucky: true };
    const { programs, missing } = needsFrom(names, result.stdout.text().split('\n'));
    return { programs, missing: missing.filter((name) => language.needs.includes(name)) };
  } catch (error) {
    if (isSbxError(error) && error.code === 'SBX_PROGRAM_NOT_FOUND') return UNKNOWN; // a root without a shell
    throw error;
  }
}

/**
 * The program of the run step, too, where it is a name: the step does not depend on it, but who starts it
 * asks where it is.
 */
function lookedFor({ needs, run: { file } }: Language): readonly string[] {
  return file.includes('/') || needs.includes(file) ? needs : [...needs, file];
}

function needsFrom(names: readonly string[], lines: readonly string[]): Needs {
  const programs = new Map<string, string>();
  const missing: string[] = [];
  for (const [index, name] of names.entries()) {
    const line = lines[index] ?? '';
    if (line === `-${name}`) missing.push(name);
    else if (line.startsWith('/')) programs.set(name, line);
  }
  return { programs, missing };
}
