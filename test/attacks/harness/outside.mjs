/**
 * Folders that only the host has, as the oracle of attacks by names: whether what came back shows anything of
 * them, and whether they are as they were. Everybody may write there, so that only the way there is in
 * question.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { saying } from './tiny-elf.mjs';

const RAN = 'SBX-RAN-OUTSIDE';

/**
 * Needs nothing around it: it lies where only the host can be, and that it runs at all says that somebody got
 * there.
 */
export const PROGRAM = saying(`${RAN}\n`);

/** `run`, and what servers look for in PATH. */
const PROGRAM_NAMES = ['run', 'sh', 'bash', 'python3', 'cat'];

const random = () => Math.random().toString(36).slice(2).padEnd(10, '0');

/** Where everybody can go, where only root can, and what no temporary folder is. */
const parents = () => ['/tmp', '/var/tmp', ...(process.getuid() === 0 ? ['/root'] : [])];

/** The same content in a folder: a file to read, one to change, one to run, a link, a name that tells. */
function fillFolder(folder, secret) {
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, 'marker'), `${secret}\n`, { mode: 0o644 });
  for (const name of ['victim', 'victim2']) {
    writeFileSync(join(folder, name), `${secret}\n`);
    chmodSync(join(folder, name), 0o666);
  }
  mkdirSync(join(folder, `name-${secret}`), { mode: 0o777 });
  symlinkSync(secret, join(folder, 'link'));
  for (const name of PROGRAM_NAMES) writeFileSync(join(folder, name), PROGRAM, { mode: 0o755 });
}

function describe(path) {
  const { mode, size, mtimeMs, uid } = lstatSync(path);
  const link = (mode & 0o170000) === 0o120000 ? readlinkSync(path) : '';
  const text = (mode & 0o170000) === 0o100000 ? readFileSync(path, 'latin1').slice(0, 64) : '';
  return `${path} ${mode.toString(8)} ${uid} ${size} ${mtimeMs} ${link} ${text}`;
}

const snapshot = (folder) =>
  [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, name))]
    .sort()
    .map(describe);

export class Outside {
  /** In no path: whoever has it has seen something. */
  secret = `seen${random()}${random()}`;
  folders;
  #before;

  constructor() {
    this.folders = parents().map((parent) => mkdtempSync(join(parent, 'sbx-out-')));
    for (const folder of this.folders) fillFolder(folder, this.secret);
    this.#before = this.folders.flatMap(snapshot);
  }

  /** What `text`, which came back from an attack, shows; an empty string for nothing. */
  shown(text) {
    if (text.includes(this.secret)) return 'shows what is outside';
    return text.includes(RAN) ? 'runs what is outside' : '';
  }

  /** How the folders differ from before. */
  changes() {
    const now = this.folders.flatMap(snapshot);
    const before = this.#before;
    this.#before = now;
    return [
      ...now.filter((line) => !before.includes(line)).map((line) => `outside is now ${line}`),
      ...before.filter((line) => !now.includes(line)).map((line) => `outside is no longer ${line}`),
    ].slice(0, 2);
  }

  remove() {
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}
