// Pages of docs/ that are made from tables in the sources, sources that are (native/protocol), and parts of
// pages between `<!-- made: NAME … -->` and `<!-- end: NAME -->`. `--write` makes them; without it, a page
// that is not up to date is an error.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptSources } from '../native/protocol/typescript.mjs';
import { doctorRows } from './lib/doctor-table.mjs';
import { familiesText, familyGroups } from './lib/families-table.mjs';
import { fathomPages } from './lib/fathom-pages.mjs';
import { filterRows } from './lib/filter-table.mjs';
import { importSources } from './lib/package-source.mjs';
import { root } from './lib/paths.mjs';

const [{ ERROR_CODES }, { VERDICT_ROWS }, { DEFAULT_LIMITS, LIMIT_NAMES, LIMIT_RANGES }] =
  await importSources('core', 'error-codes', 'run/verdict', 'options/limits');

const doctor = await doctorRows();

function tableOf(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

function errorsPage() {
  const rows = Object.entries(ERROR_CODES).map(([code, row]) => [
    `\`${code}\``,
    row.class,
    row.retryable ? 'yes' : 'no',
    row.meaning,
  ]);
  return `<!-- Made from packages/core/src/error-codes.ts by scripts/gen-docs.mjs; edit the table there, then run: npm run docs -->
# Errors

What a program did is a result, never an error: see [limits](limits.md). Everything that a public function
throws or rejects with is an \`SbxError\` whose \`code\` is one of these and stays the same between versions; an
abort alone rejects with the reason of the caller's own signal. \`isSbxError(error)\` tells them from other
errors; in TypeScript a comparison of \`code\` then gives the fields of its class (\`retryAfterMs\`, \`field\`,
\`path\`…). \`retryable\` says whether the same call may succeed later without a change by the caller.

${tableOf(['Code', 'Class', 'Retryable', 'Meaning'], rows)}`;
}

function verdictTable() {
  const rows = VERDICT_ROWS.map(({ id, status, why }, index) => [
    index + 1,
    `\`${status}\``,
    `\`${id}\``,
    why,
  ]);
  return tableOf(['', 'Status', 'Row', 'When'], rows);
}

function rangeTable() {
  const rows = LIMIT_NAMES.map((name) => {
    const range = LIMIT_RANGES[name];
    const legal = range
      ? `${amount(range.min, range.unit)} to ${amount(range.max, range.unit)}`
      : "`'0-1,3'`";
    return [`[\`${name}\`](#${name.toLowerCase()})`, amount(DEFAULT_LIMITS[name], range?.unit), legal];
  });
  return tableOf(['Limit', 'Default', 'Legal values'], rows);
}

const BINARY_UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

function amount(value, unit) {
  if (value === null) return 'none';
  if (unit !== 'bytes') return unit ? `${spaced(value)} ${unit}` : spaced(value);
  if (value === Number.MAX_SAFE_INTEGER) return '2⁵³ − 1 bytes';
  const [name, size] = BINARY_UNITS.find(([, bytes]) => value >= bytes && value % bytes === 0) ?? [
    'bytes',
    1,
  ];
  return `${spaced(value / size)} ${name}`;
}

const spaced = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ' ');

/** One row for all calls with the same answer in the same group. */
function filterTable() {
  const merged = new Map();
  for (const { name, error, condition, filter, group } of filterRows()) {
    const key = [group, error, condition, filter].join('\n');
    const row = merged.get(key) ?? { names: [], error, condition, filter, group };
    row.names.push(`\`${name}\``);
    merged.set(key, row);
  }
  const rows = [...merged.values()].map(({ names, error, condition, filter, group }) => [
    names.join(' '),
    condition ?? 'always',
    error === null ? 'success' : `\`${error}\``,
    filter,
    group.replace(/[.:]$/, ''),
  ]);
  return tableOf(['Calls', 'Refused', 'With', 'Filter', 'What they are'], rows);
}

function familyTable() {
  const rows = familyGroups().map(({ what, families, calls }) => [
    what,
    familiesText(families),
    calls.map((name) => `\`${name}\``).join(' '),
  ]);
  return tableOf(['What they are', 'Families', 'Calls'], rows);
}

function doctorTable() {
  const rows = doctor.map(({ id, title, required, why, fixes }) => [
    `\`${id}\``,
    cell(title),
    required,
    cell(why),
    cell(fixes.join(' Or: ') || 'Nothing to do.'),
  ]);
  return tableOf(['Check', 'Asks for', 'Required', 'Why', 'Fix'], rows);
}

/** What a table or a template would take for its own. */
const cell = (text) => text.replaceAll(/[|<]/g, '\\$&');

const PAGES = { 'docs/errors.md': errorsPage };
const PARTS = {
  'docs/limits.md': { ranges: rangeTable, verdicts: verdictTable },
  'docs/security.md': { filter: filterTable, families: familyTable },
  'docs/troubleshooting.md': { doctor: doctorTable },
};

function withParts(file, parts) {
  let page = readFileSync(join(root, file), 'utf8');
  for (const [name, make] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- made: ${name}\\b[^>]*-->\\n)[\\s\\S]*?(<!-- end: ${name} -->)`);
    if (!place.test(page)) throw new Error(`${file} has no place for "${name}"`);
    page = page.replace(place, (_, open, close) => `${open}\n${make()}\n${close}`);
  }
  return page;
}

const wanted = [
  ...Object.entries(PAGES).map(([file, make]) => [file, make()]),
  ...Object.entries(fathomPages(tableOf)),
  ...Object.entries(typescriptSources()).map(([name, source]) => [`packages/core/src/${name}`, source]),
  ...Object.entries(PARTS).map(([file, parts]) => [file, withParts(file, parts)]),
];

const write = process.argv.includes('--write');
for (const [file, page] of wanted) {
  const path = join(root, file);
  if (write) {
    writeFileSync(path, page);
  } else if (!existsSync(path) || readFileSync(path, 'utf8') !== page) {
    console.error(`${file} is not what the sources say. Run: npm run docs`);
    process.exitCode = 1;
  }
}
