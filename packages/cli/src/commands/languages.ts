import { type LanguageReport, languages } from '@sbx/languages';
import { EXIT } from '../exit-codes.js';
import type { LanguagesFlags } from '../flags.js';
import { openEngine } from '../open-engine.js';
import { type Cell, formatTable, painterFor, printJson, say } from '../terminal.js';

/** `sbx languages`: what is installed inside sandboxes of this machine. */
export async function languagesCommand({ json = false, allowDegraded }: LanguagesFlags): Promise<number> {
  const engine = await openEngine(allowDegraded);
  try {
    const reports = await languages.probe(engine);
    if (json) printJson({ version: 1, command: 'languages', languages: reports });
    else printReports(reports);
  } finally {
    await engine.close();
  }
  return EXIT.ok;
}

function printReports(reports: readonly LanguageReport[]): void {
  const head = ['language', 'version', 'names', 'extensions'];
  process.stdout.write(formatTable(head, reports.map(rowOf), painterFor(process.stdout)));
  const missing = reports.filter((report) => !report.available);
  for (const { title, reason } of missing) say(`${title}: ${reason}`);
}

function rowOf({ name, title, aliases, extensions, available, version }: LanguageReport): Cell[] {
  const state: Cell = available
    ? { text: version ?? 'installed', colour: 'green' }
    : { text: 'not installed', colour: 'yellow' };
  return [title, state, [name, ...aliases].join(' '), extensions.join(' ')];
}
