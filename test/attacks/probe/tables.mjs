/**
 * The committed tables: `expected/<machine>.txt`, each section as what differs from one before it, which its
 * title names. A machine is what the rows depend on: architecture, kernel, cgroup version.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, release } from 'node:os';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('expected/', import.meta.url));

export function machine() {
  const kernel = /^\d+\.\d+/.exec(release())[0];
  const version = existsSync('/sys/fs/cgroup/cgroup.controllers') ? 'v2' : 'v1';
  return `${arch()}-${kernel}-${version}`;
}

const fileOf = (name) => `${folder}${name}.txt`;

/** "subject = outcome" lines → Map; in the order printed. */
export function rowsOf(text) {
  const lines = text
    .replaceAll('\r', '')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.pop() !== 'done') throw new Error('the prober did not come to its end');
  const rows = new Map();
  for (const line of lines) {
    const at = line.indexOf(' = ');
    const subject = line.slice(0, at);
    // A mount point can be there twice, one over the other.
    rows.set(rows.has(subject) ? `${subject} (again)` : subject, line.slice(at + 3));
  }
  return rows;
}

/** Lines that make `rows` of `base`. */
export function difference(base, rows) {
  const changed = [...rows].filter(([subject, said]) => base.get(subject) !== said);
  const gone = [...base.keys()].filter((subject) => !rows.has(subject));
  return [
    ...changed.map(([subject, said]) => `${subject} = ${said}`),
    ...gone.map((subject) => `${subject} is gone`),
  ];
}

function apply(base, lines) {
  const rows = new Map(base);
  for (const line of lines) {
    const at = line.indexOf(' = ');
    if (at < 0) rows.delete(line.replace(/ is gone$/, ''));
    else rows.set(line.slice(0, at), line.slice(at + 3));
  }
  return rows;
}

const AS = '; as ';

/** Section name → rows; `null` when nobody has judged this machine. */
export function readTables(name = machine()) {
  if (!existsSync(fileOf(name))) return null;
  const tables = new Map();
  for (const section of readFileSync(fileOf(name), 'utf8').split(/^# /m).slice(1)) {
    const [title, ...lines] = section.split('\n');
    const [own, base] = title.split(AS);
    const changes = lines.filter((line) => line !== '');
    tables.set(own, apply(base === undefined ? new Map() : tables.get(base), changes));
  }
  return tables;
}

/** The shortest way to say it: whole, or as what differs from a table above. */
function shortest(rows, above) {
  let best = { heading: '', lines: difference(new Map(), rows) };
  for (const [title, base] of above) {
    const lines = difference(base, rows);
    if (lines.length < best.lines.length) best = { heading: AS + title, lines };
  }
  return best;
}

export function writeTables(tables, name = machine()) {
  const all = [...tables];
  const sections = all.map(([title, rows], index) => {
    const { heading, lines } = shortest(rows, all.slice(0, index));
    return `# ${title}${heading}\n${lines.map((line) => `${line}\n`).join('')}`;
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(name), sections.join('\n'));
  return fileOf(name);
}

/** What nobody has judged: lines of sections that differ from the committed ones. */
export function unjudged(expected, tables) {
  return [...tables].flatMap(([title, rows]) => {
    const wanted = expected.get(title);
    if (wanted === undefined) return [`${title}: has no table`];
    return [
      ...[...rows].flatMap(([subject, said]) =>
        wanted.get(subject) === said
          ? []
          : [`${title}: ${subject} = ${said}, expected ${wanted.get(subject) ?? 'no such row'}`],
      ),
      ...[...wanted.keys()]
        .filter((subject) => !rows.has(subject))
        .map((subject) => `${title}: ${subject} is gone`),
    ];
  });
}
