/**
 * A place where a name is given, against every way to make it lead out. Acceptable: an error with a stable
 * code, or the name found inside. Landlock is off: the walls before it must hold alone. Each place is first
 * used as it is meant, within the sandbox, so that none passes because it does nothing.
 */
import { DEFAULT_MOUNTS, Engine, isSbxError } from '@sbx/core';
import { sandboxMounts } from '../harness/conditions.mjs';
import { Outside, PROGRAM } from '../harness/outside.mjs';
import { paced } from '../harness/pace.mjs';
import { byCaller, byLinks, linkFiles, SWAPPED, WAYS } from './name-ways.mjs';

/** Errors that say that the sandbox or we have failed, which no name may come to. */
const OURS = /^SBX_(INTERNAL|SANDBOX_LOST|SANDBOX_FAILED|ENGINE_FAILED|SETUP_FAILED)$/;
const INSIDE = 'INSIDE';
const AT_ONCE = 4;
const LIVES = ['/bin/sleep', ['1000']];

/** The same names within the sandbox, below `in`, and what hostile programs need. */
const PREPARE = `
  for folder; do
    mkdir -p "in/$folder"; cd "in/$folder"
    for f in marker victim victim2; do echo ${INSIDE} > $f; done
    ln -s ${INSIDE} link; cp /w/.run run; mkdir name-${INSIDE}; cd /w
  done; echo mine > mine`;

const LIST = ['/bin/sh', ['-c', 'ls -lR --full-time in; find in -type f | sort | xargs cksum']];

async function attempt(place, base, scope) {
  try {
    return { text: await place.attempt(base, scope) };
  } catch (error) {
    const codes = [error.code, error.errors?.map((one) => one.code)].flat();
    const bad = !isSbxError(error) || codes.some((code) => OURS.test(code));
    return {
      text: String(error.message),
      bad: bad ? `${error.code}: ${error.message}` : undefined,
      code: error.code,
    };
  }
}

/** Runs so many at a time, in order. */
async function each(items, work) {
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** One place, with an engine and an outside of its own. */
class Attack {
  problems = [];
  codes = new Map();
  #number = 0;

  constructor(place, engine, outside) {
    Object.assign(this, { place, engine, outside });
    this.folders = outside.folders.map((folder) => folder.slice(1));
  }

  /** A sandbox with everything in it, and a program that lives, where the place wants one. */
  async box() {
    const box = await this.engine.createSandbox({ limits: { wallTimeMs: 600_000, diskFileCount: 16_384 } });
    await box.writeFile('.run', PROGRAM, { mode: 0o755 });
    const made = await box.run('/bin/sh', ['-ec', PREPARE, 'sh', ...this.folders]);
    if (!made.ok) this.problems.push(`could not be prepared: ${made.stderr.text()}`);
    const beside = this.place.beside ? await box.spawn(...LIVES) : null;
    const close = async () => {
      await beside?.close();
      await box.close();
    };
    return { box, close };
  }

  #scope(box, folder, give) {
    return { box, engine: this.engine, folder, give, number: this.#number++ };
  }

  async #try(base, way, box, give = {}) {
    for (const folder of this.place.wide ? this.folders : this.folders.slice(0, 1)) {
      const { text, bad, code } = await attempt(this.place, base, this.#scope(box, folder, give));
      this.codes.set(code ?? 'inside', (this.codes.get(code ?? 'inside') ?? 0) + 1);
      if (bad !== undefined) this.problems.push(`${way} ${base}: ${bad}`);
      const seen = text === 'FOUND' ? 'finds what is outside' : this.outside.shown(text);
      if (seen) this.problems.push(`${way} ${base}: ${seen}`);
    }
  }

  /** It does what it is for. */
  async control() {
    const { box, close } = await this.box();
    const [folder] = this.folders;
    const list = async () => (await box.run(...LIST)).stdout.text();
    const before = await list();
    const files = { marker: INSIDE, victim: INSIDE, run: { bytes: PROGRAM, mode: 0o755 } };
    const give = Object.entries(files).map(([name, file]) => [`in/${folder}/${name}`, file]);
    const scope = { ...this.#scope(box, folder, Object.fromEntries(give)), isControl: true };
    const { text, code } = await attempt(this.place, 'in', scope);
    const works =
      [INSIDE, 'FOUND', 'RAN-OUTSIDE'].some((word) => text.includes(word)) || before !== (await list());
    if (!works) this.problems.push(`does nothing even within the sandbox: ${code} ${text.slice(0, 200)}`);
    await close();
  }

  async named() {
    const { box, close } = await this.box();
    await each(byCaller(), ({ way, base }) => this.#try(base, way, box));
    await close();
    this.#look('named by the caller');
  }

  async linked() {
    const { argv, bases } = byLinks();
    const { box, close } = await this.box();
    const limits = { cpuTimeMs: paced(20_000), wallTimeMs: paced(60_000) }; // hundreds of processes
    const made = await box.run(argv[0], argv.slice(1), { limits });
    if (!made.ok) this.problems.push(`no links: ${made.status} ${made.stderr.text()}`);
    await each(bases, ({ way, base }) => this.#try(base, way, box));
    await close();
    this.#look('by links of a program');
  }

  async copiedLinks() {
    const bases = WAYS.flatMap(({ way, bases: all }) => all.map((base) => ({ way, base })));
    await each(bases, ({ way, base }) =>
      this.#try('e', `${way}, by a link copied in (${base})`, null, linkFiles(base)),
    );
    this.#look('by links copied in');
  }

  /** While a program swaps a folder and a link. */
  async swapped() {
    const { box, close } = await this.box();
    for (const target of SWAPPED) {
      const swapping = box.run('/a/swap-folder', ['60', target]);
      await each([1, 2, 3, 4, 5, 6, 7, 8], () => this.#try('d', `a link swapped meanwhile (${target})`, box));
      await swapping;
      await box.rm('d', { recursive: true, force: true });
      await box.rm('l', { recursive: true, force: true });
    }
    await close();
    this.#look('by a link swapped meanwhile');
  }

  #look(by) {
    this.problems.push(...this.outside.changes().map((text) => `${by}: ${text}`));
  }
}

/** The attack of an entry. */
export const leadOut = (place) => async (context) => {
  const { world } = context;
  const outside = new Outside();
  const engine = await Engine.open({
    mounts: [...DEFAULT_MOUNTS, ...sandboxMounts(world)],
    require: [],
    landlock: false,
    parallelism: AT_ONCE,
  });
  const attack = new Attack(place, engine, outside);
  try {
    await attack.control();
    await attack.named();
    if (place.fresh) await attack.copiedLinks();
    else if (!place.callerOnly) {
      await attack.linked();
      await attack.swapped();
    }
  } finally {
    await engine.close();
    outside.remove();
  }
  context.note([...attack.codes].map(([code, count]) => `${count} × ${code}`).join(', '));
  return attack.problems.slice(0, 6);
};
