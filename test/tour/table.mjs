/** Rows of the tour as text. */

const COLUMNS = [
  ['program', (row) => row.title],
  ['language', (row) => row.language],
  ['verdict', (row) => row.status ?? ''],
  ['cpu', (row) => milliseconds(row.cpuMs), 'right'],
  ['wall', (row) => milliseconds(row.wallMs), 'right'],
  ['memory', (row) => mebibytes(row.memoryBytes), 'right'],
  ['tasks', (row) => (row.processes === undefined ? '' : `${row.processes}`), 'right'],
  ['expected', (row) => row.expected],
  ['came', (row) => `${row.came}${row.asExpected ? '' : '  !'}`],
];

export function formatTable(rows) {
  const cells = [COLUMNS.map(([head]) => head), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map(
      (line) =>
        `${line
          .map((text, column) => pad(text, widths[column], column))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function pad(text, width, column) {
  return COLUMNS[column][2] === 'right' ? text.padStart(width) : text.padEnd(width);
}

function milliseconds(value) {
  return value === undefined ? '' : `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}

function mebibytes(value) {
  return value === undefined ? '' : `${(value / 2 ** 20).toFixed(1)} MiB`;
}
