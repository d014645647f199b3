/** Which languages programs may be written in here, and how to get the others. */
import type { LanguageReport } from '@sbx/languages';
import type { Check } from './types.js';

/** A row per language. None is required: sandboxes run without any of them. */
export function languageChecks(reports: readonly LanguageReport[]): Check[] {
  return reports.map((report) => ({
    id: `language:${report.name}`,
    layer: 'language',
    title: `Language ${report.title}`,
    required: false,
    state: report.available ? 'ok' : 'missing',
    ...(report.available
      ? { found: report.version ?? 'installed', fix: null }
      : { found: factOf(report), fix: fixOf(report) }),
    why: 'Without it `sbx run` and the servers refuse programs in it.',
  }));
}

/** The reason without the advice that it ends with: that is shown as the fix. */
function factOf({ reason }: LanguageReport): string {
  return (reason ?? 'not installed').replace(/ (On Debian|Install it)\b.*$/s, '');
}

function fixOf({ debianPackage }: LanguageReport): string {
  const advice =
    debianPackage === null ? 'Install it below /usr' : `On Debian: apt-get install ${debianPackage}`;
  return `${advice}. One in another folder: sbx run --toolchain <folder>, \`toolchains\` of an engine.`;
}
