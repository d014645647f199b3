import { Engine } from '@sbx/core';
import { type LanguageReport, languages } from '@sbx/languages';

/** In CI everything must be there: what is missing fails instead of being skipped. */
const MUST_HAVE_ALL = process.env.CI !== undefined && process.env.CI !== '' && process.env.CI !== 'false';

/** Asked once per test file, before its tests are collected. */
const reports: readonly LanguageReport[] = await probe();

async function probe(): Promise<readonly LanguageReport[]> {
  const engine = await Engine.open();
  try {
    return await languages.probe(engine);
  } finally {
    await engine.close();
  }
}

/** Whether the tests of a language are skipped on this machine. */
export function isSkipped(name: string): boolean {
  return !MUST_HAVE_ALL && reportOf(name)?.available !== true;
}

export function reportOf(name: string): LanguageReport | undefined {
  return reports.find((report) => report.name === name);
}
