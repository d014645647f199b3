// Reports for machines and for people.

const rounded = (value) => (Number.isFinite(value) ? Number(value.toPrecision(5)) : null);

export function printJson(report) {
  const figures = report.figures.map((row) => ({
    ...row,
    value: rounded(row.value),
    p50: rounded(row.p50),
    p99: rounded(row.p99),
  }));
  process.stdout.write(`${JSON.stringify({ ...report, figures })}\n`);
}

const COLUMNS = [
  ['figure', (row) => row.name],
  ['value', (row) => format(row.value)],
  ['unit', (row) => row.unit],
  ['bar', (row) => (row.bar === null ? '' : `${row.better === 'less' ? '≤' : '≥'} ${row.bar}`)],
  ['', (row) => (row.bar === null ? '' : row.holds ? 'holds' : 'MISSED')],
  ['p50', (row) => format(row.p50)],
  ['p99', (row) => format(row.p99)],
  ['samples', (row) => row.skipped ?? String(row.samples)],
];

function format(value) {
  if (value === null) return '';
  if (value >= 1000) return value.toFixed(0);
  return value >= 100 ? value.toFixed(1) : value.toFixed(3);
}

export function printTable(title, report) {
  const { node, kernel, cgroup, cpus, figures } = report;
  console.log(`${title}\nnode ${node}, Linux ${kernel}, cgroup ${cgroup}, ${cpus} CPUs\n`);
  const cells = [
    COLUMNS.map(([head]) => head),
    ...figures.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    );
}
