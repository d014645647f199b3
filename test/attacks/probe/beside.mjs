/**
 * The prober under bubblewrap with its usual tight flags, by an ordinary user, as it is meant to be used; and where sbx allows what
 * that refuses. Each such row needs a reason in docs/comparison.md.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../../programs/build.mjs';
import { rowsOf } from './tables.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const NOBODY = 65_534;
const WITHIN_MS = 60_000;

export const hasBubblewrap = () => existsSync('/usr/bin/bwrap');

const words = (text) => text.trim().split(/\s+/);
const FLAGS = words(`
  --unshare-all --unshare-user --disable-userns --die-with-parent --new-session --clearenv --cap-drop ALL --hostname sandbox
  --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64
  --proc /proc --dev /dev --tmpfs /tmp --tmpfs /w --chdir /w`);

/** Rows of the prober under bubblewrap. */
export async function runBubblewrap() {
  // The checkout may be where only root can go.
  const folder = mkdtempSync(join(tmpdir(), 'beside-'));
  try {
    chmodSync(folder, 0o755);
    copyFileSync(join(buildPrograms(here), 'probe'), join(folder, 'probe'));
    return rowsOf(await printedBy(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function printedBy(folder) {
  const become =
    process.getuid() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const [file, ...args] = [...become, 'bwrap', ...FLAGS, '--ro-bind', folder, '/p', '/p/probe'];
  const input = openSync('/dev/null', 'r+'); // as sbx has it
  const child = spawn(file, args, {
    stdio: [input, 'pipe', 'pipe'],
    timeout: WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  closeSync(input);
  let printed = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const chunk of child.stdout) {
    printed += chunk;
    // Its pid 1 can be traced by the program, and stays stopped then: bubblewrap would wait for ever.
    if (printed.endsWith('\ndone\n')) break;
  }
  child.kill('SIGKILL');
  if (!printed.endsWith('done\n')) throw new Error(`bwrap: ${errors}`);
  return printed;
}

const ALLOWED = /\b(OK|OPEN|WRITTEN|another root)\b/i;

/** Rows of `ours` in which something is allowed that `theirs` refuse, or do not have. */
export function allowedBeyond(ours, theirs) {
  return [...ours].flatMap(([subject, said]) => {
    const other = theirs.get(subject);
    const parts = other?.split(', ') ?? [];
    const more = said
      .split(', ')
      .filter((part, index) => ALLOWED.test(part) && !ALLOWED.test(parts[index] ?? ''));
    return more.length === 0 ? [] : [`${subject} = ${said} (bubblewrap: ${other ?? 'no such row'})`];
  });
}

/** The rows that docs/comparison.md gives a reason for, as regular expressions. */
export function reasons() {
  const page = readFileSync(new URL('../../../docs/comparison.md', import.meta.url), 'utf8');
  const part = page.split('<!-- beside bubblewrap -->')[1]?.split('<!-- end: beside bubblewrap -->')[0] ?? '';
  const rows = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((row) => {
    const [, pattern] = row.split(/(?<!\\)\|/);
    return new RegExp(`^(?:${pattern.trim().replaceAll('`', '').replaceAll('\\|', '|')})`);
  });
}
