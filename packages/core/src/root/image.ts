/**
 * The root of an engine with `root: 'minimal'`: a tree of copies on disk, which its sandboxes see read-only.
 * Engines of a process that ask for the same share one; it is removed with the last of them. What a killed
 * process leaves, the next one removes.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generatedFiles } from '../options/defaults.js';
import { minimalRootOf } from '../options/root.js';
import { toolchainRows } from '../options/toolchains.js';
import type { EngineOptions } from '../types/engine.js';
import type { MountRow } from '../types/mounts.js';
import { makeFolder } from './folder.js';
import { Packages } from './packages.js';
import { placesFor, rowsOf, topsOf } from './rows.js';
import { type Entry, selectFiles } from './select.js';
import { type SandboxLease, writeTree } from './tree.js';

/** A tree of this process. */
interface Tree {
  folder: Promise<string>;
  userCount: number;
}

const trees = new Map<string, Tree>();

export class RootImage {
  /** The whole root, for `EngineOptions.mounts`. */
  readonly mounts: readonly MountRow[];
  readonly #key: string;

  private constructor(key: string, mounts: readonly MountRow[]) {
    this.#key = key;
    this.mounts = mounts;
  }

  /** `null` where the options ask for none. They must have been checked. */
  static async open(options: EngineOptions): Promise<RootImage | null> {
    const root = minimalRootOf(options);
    if (root === null) return null;
    const { hostname, workDir, insideUid, mounts = [], toolchains = [] } = options;
    const beside = [...mounts, ...toolchainRows(toolchains, [])];
    const generated = generatedFiles(hostname, workDir, insideUid);
    const chosen = selectFiles(root, openPackages());
    const tops = topsOf(chosen);
    const places = placesFor(beside, tops);
    const hidden = new Set([...places.map(({ path }) => path), ...generated.map(({ target }) => target)]);
    const entries = chosen.filter(({ path }) => !hidden.has(path));
    const key = createHash('sha256')
      .update(JSON.stringify([entries, places]))
      .digest('hex');
    const folder = await acquire(key, entries, places);
    const mounted = mounts.filter(
      (row) => row.kind === 'bind' || row.kind === 'tmpfs' || !isPlaced(row, places),
    );
    return new RootImage(key, [...rowsOf(folder, topsOf(entries)), ...generated, ...mounted]);
  }

  async close(): Promise<void> {
    const tree = trees.get(this.#key)!;
    if (--tree.userCount > 0) return;
    trees.delete(this.#key);
    await removeTree(await tree.folder);
  }
}

function isPlaced(row: MountRow, places: readonly SandboxLease[]): boolean {
  return places.some(({ path }) => path === row.target);
}

function openPackages(): Packages | null {
  try {
    return new Packages();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function acquire(key: string, entries: Entry[], places: SandboxLease[]): Promise<string> {
  const known = trees.get(key) ?? { folder: makeTree(key, entries, places), userCount: 0 };
  trees.set(key, known);
  known.userCount++;
  try {
    return await known.folder;
  } catch (error) {
    trees.delete(key);
    throw error;
  }
}

async function makeTree(key: string, entries: Entry[], places: SandboxLease[]): Promise<string> {
  const folder = await makeFolder(key.slice(0, 12));
  const removeAtExit = () => rmSync(dirname(folder), { recursive: true, force: true });
  process.once('exit', removeAtExit);
  cleaners.set(folder, removeAtExit);
  try {
    await writeTree(folder, entries, places);
    return folder;
  } catch (error) {
    await removeTree(folder);
    throw error;
  }
}

/** For a process that ends with engines open. */
const cleaners = new Map<string, () => void>();

async function removeTree(folder: string): Promise<void> {
  await rm(dirname(folder), { recursive: true, force: true });
  process.off('exit', cleaners.get(folder)!);
  cleaners.delete(folder);
  // The folder above is others', too, as long as anything is in it.
  await rmdir(dirname(dirname(folder))).catch(() => undefined);
}
