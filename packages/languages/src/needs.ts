/**
 * Whether a language's programs are inside the sandbox, asked before anything of the caller's starts: one short `sh` run per
 * language and engine, remembered when all is there. What is missing is asked again, since it may be installed meanwhile.
 */
import { DEFAULT_ENV, isSbxError } from '@sbx/core';
import { LanguageUnavailableError } from './errors.js';
import type { Language, RunEngine } from './types.js';

/** Prints each argument that is neither a program in PATH nor, when absolute, an existing path. */
const SCRIPT =
  'for p do case $p in /*) [ -e "$p" ];; *) command -v "$p" >/dev/null 2>&1;; esac || printf "%s\\n" "$p"; done';

const checks = new WeakMap<RunEngine, Map<Language, Promise<readonly string[]>>>();

/** Throws `LanguageUnavailableError` when something is missing. */
export async function requireAvailable(language: Language, engine: RunEngine): Promise<void> {
  const missing = await missingNeeds(language, engine);
  if (missing.length === 0) return;
  const { name, title, debianPackage = null } = language;
  throw new LanguageUnavailableError({ language: name, title, missing, debianPackage });
}

/** What of `language.needs` is not there. */
export async function missingNeeds(language: Language, engine: RunEngine): Promise<readonly string[]> {
  const known = checksOf(engine);
  const check = known.get(language) ?? look(language, engine);
  known.set(language, check);
  try {
    const missing = await check;
    if (missing.length > 0) known.delete(language);
    return missing;
  } catch (error) {
    known.delete(language);
    throw error;
  }
}

function checksOf(engine: RunEngine): Map<Language, Promise<readonly string[]>> {
  const known = checks.get(engine) ?? new Map<Language, Promise<readonly string[]>>();
  checks.set(engine, known);
  return known;
}

async function look(language: Language, engine: RunEngine): Promise<readonly string[]> {
  if (language.needs.length === 0) return [];
  try {
    const env = { ...DEFAULT_ENV, ...language.env };
    const result = await engine.run('/bin/sh', ['-c', SCRIPT, 'sh', ...language.needs], { env });
    // A check that did not end well says nothing about the language; the step itself will.
    return result.ok ? result.stdout.text().split('\n').filter(Boolean) : [];
  } catch (error) {
    if (isSbxError(error) && error.code === 'SBX_PROGRAM_NOT_FOUND') return []; // a root without a shell
    throw error;
  }
}
