/**
 * Where sbx allows what another sandbox refuses: each such row needs a reason in docs/comparison.md. As a
 * command, for peers that are not Debian packages: `npm run attacks -- --beside isolate=PATH,nsjail=PATH`.
 */
import { readFileSync } from 'node:fs';
import { PEER_NAMES, runBeside } from './peers.mjs';
import { machine, readTables } from './tables.mjs';

/** Those of ours that are compared: as root, and as an ordinary user. */
const OURS = ['default, one-shot', 'rootless, one-shot'];
const ALLOWED = /\b(OK|OPEN|WRITTEN|another root)\b/i;

/** Rows of `ours` in which something is allowed that `theirs` refuse, or do not have. */
export function allowedBeyond(ours, theirs) {
  return [...ours].flatMap(([subject, said]) => {
    const other = theirs.get(subject);
    const parts = other?.split(', ') ?? [];
    const more = said
      .split(', ')
      .filter((part, index) => ALLOWED.test(part) && !ALLOWED.test(parts[index] ?? ''));
    return more.length === 0 ? [] : [`${subject} = ${said} (there: ${other ?? 'no such row'})`];
  });
}

/** The rows that docs/comparison.md gives a reason for beside a peer, as regular expressions. */
export function reasons(peer) {
  const page = readFileSync(new URL('../../../docs/comparison.md', import.meta.url), 'utf8');
  const part = page.split(`<!-- beside ${peer} -->`)[1]?.split(`<!-- end: beside ${peer} -->`)[0] ?? '';
  const rows = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((row) => {
    const [, pattern] = row.split(/(?<!\\)\|/);
    return new RegExp(`^(?:${pattern.trim().replaceAll('`', '').replaceAll('\\|', '|')})`);
  });
}

/** What no reason is given for, and reasons for nothing. */
export function unexplained(peer, tables, theirs) {
  const more = OURS.flatMap((title) => allowedBeyond(tables.get(title) ?? new Map(), theirs));
  const given = reasons(peer);
  return {
    rows: [...new Set(more)].filter((line) => !given.some((reason) => reason.test(line))),
    needless: given.filter((reason) => !more.some((line) => reason.test(line))).map(String),
  };
}

function pathsOf(text) {
  return text.split(',').map((pair) => {
    const [peer, path] = pair.split('=');
    if (!PEER_NAMES.includes(peer) || !path) {
      throw new Error(`--beside takes NAME=PATH,… with ${PEER_NAMES.join(', ')} as names, not "${pair}"`);
    }
    return { peer, path };
  });
}

/** → the exit code: 0 when everything that sbx allows beyond each of them has its reason. */
export async function checkBeside(text) {
  const tables = readTables();
  if (tables === null) throw new Error(`No table for ${machine()}: npm run attacks -- --probe --write`);
  let code = 0;
  for (const { peer, path } of pathsOf(text)) {
    const theirs = await runBeside(peer, path);
    const { rows, needless } = unexplained(peer, tables, theirs);
    for (const row of rows) process.stdout.write(`${peer}: ${row}: no reason in docs/comparison.md\n`);
    for (const reason of needless) process.stdout.write(`${peer}: ${reason}: a reason for nothing\n`);
    process.stdout.write(`${peer}: ${theirs.size} rows, ${rows.length} without a reason\n`);
    if (rows.length + needless.length > 0) code = 1;
  }
  return code;
}
