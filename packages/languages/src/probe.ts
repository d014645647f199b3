/** What is installed: asked inside a sandbox, because only that is what a program would see. */
import { DEFAULT_ENV, isSbxError, type RunResult } from '@sbx/core';
import { defaultEngine } from './engine.js';
import { missingText } from './errors.js';
import type { Language, LanguageReport, VersionProbe } from './language.js';
import { missingNeeds } from './needs.js';
import type { RunEngine } from './types.js';

/** Codes that speak about the language's installation, not about the engine. */
const NOT_INSTALLED = ['SBX_PROGRAM_NOT_FOUND', 'SBX_PROGRAM_NOT_EXECUTABLE'];

/** What to ask for. */
export interface ProbeOptions {
  /** Names of the languages to ask for. Default: all. */
  languages?: readonly string[] | undefined;
  /** Abort kills what runs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** One report per language, in order. The engine's queue decides how many are asked at once. */
export function probeLanguages(
  languages: readonly Language[],
  engine: RunEngine = defaultEngine,
  signal?: AbortSignal,
): Promise<LanguageReport[]> {
  return Promise.all(languages.map((language) => probeLanguage(language, engine, signal)));
}

async function probeLanguage(
  language: Language,
  engine: RunEngine,
  signal?: AbortSignal,
): Promise<LanguageReport> {
  signal?.throwIfAborted();
  const missing = await missingNeeds(language, engine);
  if (missing.length > 0) {
    return report(language, null, missingText(missing, language.debianPackage ?? null));
  }
  if (language.version === undefined) return report(language, null, null);
  return askVersion(language, language.version, engine, signal);
}

async function askVersion(
  language: Language,
  { file, args, pattern }: VersionProbe,
  engine: RunEngine,
  signal?: AbortSignal,
): Promise<LanguageReport> {
  try {
    const result = await engine.run(file, args, { env: { ...DEFAULT_ENV, ...language.env }, signal });
    const version = versionIn(result, pattern);
    return version === null
      ? report(
          language,
          null,
          `${commandText(file, args)} ended with ${endText(result)} and showed no version.`,
        )
      : report(language, version, null);
  } catch (error) {
    if (isSbxError(error) && NOT_INSTALLED.includes(error.code)) return report(language, null, error.message);
    throw error;
  }
}

function versionIn(result: RunResult, pattern: RegExp): string | null {
  if (!result.ok) return null;
  const match = pattern.exec(result.stdout.text()) ?? pattern.exec(result.stderr.text());
  return match?.[1] ?? null;
}

function report(language: Language, version: string | null, reason: string | null): LanguageReport {
  const { name, title, aliases, extensions, compile, debianPackage = null } = language;
  const compiled = compile !== undefined;
  return {
    name,
    title,
    aliases,
    extensions,
    compiled,
    available: reason === null,
    version,
    reason,
    debianPackage,
  };
}

function commandText(file: string, args: readonly string[]): string {
  return `\`${[file, ...args].join(' ')}\``;
}

function endText({ status, exitCode, exitSignal }: RunResult): string {
  return `${status} (${exitSignal ?? `exit code ${exitCode}`})`;
}
