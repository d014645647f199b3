/**
 * Chosen entries against chosen targets. A target is opened at the first entry that wants it and closed at
 * the end, when nothing of it may be left.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ENTRIES } from './catalogue.mjs';
import { makeWorld, removeWorld } from './conditions.mjs';
import { openCoreTarget } from './core-target.mjs';
import { CpuWatch } from './cpu-watch.mjs';
import { openFathomTarget } from './fathom-target.mjs';
import { openGojudgeTarget } from './gojudge-target.mjs';
import { KernelLog } from './kernel-log.mjs';
import { probeFeatures } from './needs.mjs';
import { runEntry } from './run-entry.mjs';

// Memory is compared after a collection: see remains.mjs.
setFlagsFromString('--expose-gc');
globalThis.gc ??= runInNewContext('gc');

const OPENERS = { core: openCoreTarget, gojudge: openGojudgeTarget, fathom: openFathomTarget };

class Targets {
  #open = new Map();
  #world;

  constructor(world) {
    this.#world = world;
  }

  async get(name) {
    if (!this.#open.has(name)) {
      const target = await OPENERS[name](this.#world);
      // The first runs load code and grow pools; what comes after them is measured.
      await Promise.all(Array.from({ length: 12 }, () => target.hello()));
      this.#open.set(name, target);
    }
    return this.#open.get(name);
  }

  async close() {
    for (const target of this.#open.values()) await target.close();
  }
}

/** The and of its targets: false wins, then true; null when none applied. */
function merge(entry, rows) {
  const passes = rows.map(({ pass }) => pass);
  const pass = passes.includes(false) ? false : passes.includes(true) ? true : null;
  const joined = (key) =>
    rows
      .filter((row) => row[key] !== '')
      .map((row) => `${row.target}: ${row[key]}`)
      .join(' | ');
  const { id, group, name, expected } = entry;
  return { id, group, name, expected, outcome: joined('outcome'), pass, why: joined('why') };
}

/** The targets that an entry runs against: its own (F, G), or those chosen. */
const targetsOf = (entry, chosen) => (entry.target === undefined ? chosen : [entry.target].flat());

/** `selection`: `{ ids, targets }`. `onEntry` hears of each entry as it is done. */
export async function runCatalogue({ ids, targets }, onEntry = () => undefined) {
  const made = makeWorld();
  const world = { ...made, features: await probeFeatures(), cpus: new CpuWatch(made) };
  const kernelLog = new KernelLog();
  const open = new Targets(world);
  const entries = [];
  try {
    for (const entry of ENTRIES.filter(({ id }) => ids.includes(id))) {
      const rows = [];
      for (const name of targetsOf(entry, targets)) {
        const row = await runEntry(entry, await open.get(name), world, kernelLog);
        rows.push({ target: name, ...row });
      }
      const merged = merge(entry, rows);
      entries.push(merged);
      onEntry(merged);
    }
    await open.close();
  } finally {
    kernelLog.close();
    world.cpus.close();
    removeWorld(world);
  }
  return { entries };
}
