/**
 * The prober under other sandboxes, each with its usual tight flags and by who it is meant for: bubblewrap by
 * an ordinary user, isolate and nsjail by root, which become one.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '../../programs/build.mjs';
import { rowsOf } from './tables.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const NOBODY = 65_534;
const WITHIN_MS = 60_000;
const words = (text) => text.trim().split(/\s+/);

const asNobody = () =>
  process.getuid() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

const FLAGS = {
  bubblewrap: words(`
    --unshare-all --unshare-user --disable-userns --die-with-parent --new-session --clearenv --cap-drop ALL --hostname sandbox
    --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64
    --proc /proc --dev /dev --tmpfs /tmp --tmpfs /w --chdir /w`),
  isolate: words('--box-id=0 --processes=32 --wall-time=60 --silent'),
  nsjail: words(`
    -Mo --really_quiet --user ${NOBODY} --group ${NOBODY} --rlimit_nproc soft
    --bindmount_ro /usr --symlink usr/bin:/bin --symlink usr/lib:/lib --symlink usr/lib64:/lib64
    --tmpfsmount /tmp --tmpfsmount /w --cwd /w --tmpfsmount /dev --bindmount_ro /dev/null --bindmount_ro /dev/urandom`),
};

/**
 * `command`: that runs the prober of a folder. `before`, `after`: what has to be done around it. nsjail's
 * program is pid 1, so that a shell goes first, which stays.
 */
const PEERS = {
  bubblewrap: {
    command: (file, folder) => [
      ...asNobody(),
      file,
      ...FLAGS.bubblewrap,
      '--ro-bind',
      folder,
      '/p',
      '/p/probe',
    ],
  },
  isolate: {
    before: (file) => execFileSync(file, ['--box-id=0', '--init'], { stdio: 'pipe' }),
    command: (file, folder) => [file, ...FLAGS.isolate, `--dir=/p=${folder}`, '--run', '--', '/p/probe'],
    after: (file) => execFileSync(file, ['--box-id=0', '--cleanup'], { stdio: 'pipe' }),
  },
  nsjail: {
    command: (file, folder) => [
      file,
      ...FLAGS.nsjail,
      '--bindmount_ro',
      `${folder}:/p`,
      '--',
      '/usr/bin/sh',
      '-c',
      '/p/probe; :',
    ],
  },
};

export const PEER_NAMES = Object.keys(PEERS);

export const BUBBLEWRAP = '/usr/bin/bwrap';
export const hasBubblewrap = () => existsSync(BUBBLEWRAP);

/** Rows of the prober under a peer, of which `file` is the binary. */
export async function runBeside(name, file) {
  const { before, command, after } = PEERS[name];
  // The checkout may be where only root can go.
  const folder = mkdtempSync(join(tmpdir(), 'beside-'));
  try {
    chmodSync(folder, 0o755);
    copyFileSync(join(buildPrograms(here), 'probe'), join(folder, 'probe'));
    before?.(file);
    return rowsOf(await printedBy(command(file, folder)));
  } finally {
    after?.(file);
    rmSync(folder, { recursive: true });
  }
}

async function printedBy([file, ...args]) {
  const input = openSync('/dev/null', 'r+'); // as sbx has it
  const child = spawn(file, args, {
    stdio: [input, 'pipe', 'pipe'],
    timeout: WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  closeSync(input);
  let printed = '';
  let errors = '';
  child.on('error', (error) => {
    errors += error.message;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const chunk of child.stdout) {
    printed += chunk;
    // Its pid 1 can be traced by the program, and stays stopped then: bubblewrap and nsjail would wait for
    // ever.
    if (printed.endsWith('\ndone\n')) break;
  }
  child.kill('SIGKILL');
  if (!printed.endsWith('done\n')) throw new Error(`${file}: ${errors}`);
  return printed;
}
