/**
 * Which files of the host a minimal root has, and what their content has to be. Looks at names, sizes and
 * links; contents are read when the copies are made.
 */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { InvalidOptionsError } from '../errors.js';
import type { HashedProgram, MinimalRoot } from '../types/mounts.js';
import { byteCodeOf } from './byte-code.js';
import { needsOf } from './elf.js';
import { findLibrary, linkFolder } from './libraries.js';
import type { Package, Packages } from './packages.js';
import { canonical, findProgram, listedNames } from './paths.js';

/** The checksum that a file's content is compared with. */
export interface Checksum {
  algorithm: 'md5' | 'sha256';
  hex: string;
  /** The source of the checksum, for messages. */
  by: string;
}

/** A file or a link of the root; `path` is where it is on the host and inside. */
export type Entry =
  | { kind: 'file'; path: string; mode: number; size: number; mtimeMs: number; sum: Checksum | null }
  | { kind: 'link'; path: string; to: string };

/** Files that programs run without. Of packages alone: a program that is named is there, wherever it lies. */
const OMITTED = [
  ...['doc', 'man', 'info', 'locale', 'lintian', 'bug', 'doc-base', 'menu', 'pixmaps', 'icons'].map(
    (name) => `/usr/share/${name}/`,
  ),
  '/usr/include/node/',
  '/usr/lib/node_modules/',
  '/var/',
];
const SET_ID_BITS = 0o6000;
const READABLE_BY_ALL = 0o004;
const EXECUTABLE_BITS = 0o111;
const LINKS_MAX = 16;

/** Throws `InvalidOptionsError` for what is not installed, and for files that have no checksum. */
export function selectFiles(root: MinimalRoot, packages: Packages | null): Entry[] {
  const selection = new Selection(packages);
  selection.addPackages(root);
  for (const [index, program] of (root.programs ?? []).entries()) selection.addProgram(program, index);
  selection.addAlternatives();
  selection.dropDeadLinks();
  return selection.entries();
}

class Selection {
  readonly #packages: Packages | null;
  readonly #entries = new Map<string, Entry>();

  constructor(packages: Packages | null) {
    this.#packages = packages;
  }

  entries(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  addPackages({ packages = [], optionalPackages = [] }: MinimalRoot): void {
    const database = this.#packages;
    if (database === null) {
      if (packages.length + optionalPackages.length > 0) throw noDatabase();
      return;
    }
    for (const [index, name] of packages.entries())
      if (database.find(name) === undefined) throw notInstalled(index, name);
    for (const one of database.withNeeds([...packages, ...optionalPackages]))
      for (const listed of database.filesOf(one)) this.#addListed(listed, one);
  }

  addProgram(program: string | HashedProgram, index: number): void {
    const { path: word, sha256 } = typeof program === 'string' ? { path: program } : program;
    const field = `options.root.programs[${index}]`;
    const path = findProgram(word);
    if (path === null) throw refused(field, 'must be a program of this system', word);
    const sum: Checksum | null =
      sha256 === undefined ? null : { algorithm: 'sha256', hex: sha256.toLowerCase(), by: 'the option' };
    this.#addWithNeeds(path, field, sum);
  }

  /** Links such as /usr/bin/java and /usr/bin/cc, to what is in the root. */
  addAlternatives(): void {
    for (const { path, name } of this.#packages?.alternatives() ?? []) {
      const setting = `/etc/alternatives/${name}`;
      const target = linkAt(setting);
      const lease = canonical(path);
      if (target === null || lease === null || linkAt(lease) !== setting) continue;
      const real = canonical(isAbsolute(target) ? target : join(dirname(setting), target));
      if (real === null || !this.#entries.has(real)) continue;
      this.#entries.set(lease, { kind: 'link', path: lease, to: setting });
      this.#entries.set(setting, { kind: 'link', path: setting, to: target });
    }
  }

  /** Links to what is left out, until there are none. */
  dropDeadLinks(): void {
    const there = new Set(this.#entries.keys());
    for (const { path } of this.#entries.values())
      for (let folder = dirname(path); folder !== '/' && !there.has(folder); folder = dirname(folder))
        there.add(folder);
    const dead = [...this.#entries.values()].filter((entry) => {
      if (entry.kind === 'file') return false;
      const target = canonical(isAbsolute(entry.to) ? entry.to : join(dirname(entry.path), entry.to));
      return target === null || !there.has(target);
    });
    for (const { path } of dead) this.#entries.delete(path);
    if (dead.length > 0) this.dropDeadLinks();
  }

  #addListed(listed: string, owner: Package): void {
    const path = canonical(listed);
    if (path === null || OMITTED.some((folder) => path.startsWith(folder))) return;
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status?.isSymbolicLink()) this.#addLink(path);
    if (!status?.isFile() || !isShown(status) || this.#entries.has(path)) return;
    const hex = this.#packages!.sumsOf(owner).get(listed);
    // Settings are the administrator's to change; they have no checksum in that list.
    if (hex === undefined && !path.startsWith('/etc/')) throw withoutSum(path, owner);
    this.#addFile(path, status, hex === undefined ? null : packageSum(hex, owner));
    for (const one of byteCodeOf(path, status)) this.#addFile(one.path, one.status, null);
  }

  /** A program or library, the links that lead to it, and all that it names. */
  #addWithNeeds(start: string, field: string, sum: Checksum | null): void {
    const path = this.#addLinked(start, field);
    const known = this.#entries.get(path);
    if (known !== undefined && sum === null) return;
    const status = lstatSync(path);
    if (!status.isFile()) throw refused(field, 'must be a file', path);
    if (!isShown(status)) throw refused(field, 'must be readable for all and without set-user-id', path);
    this.#addFile(path, status, sum ?? this.#sumOf(path));
    const needs = needsOf(path);
    if (needs.kind === 'other') return;
    if (needs.interpreter !== null) this.#addWithNeeds(needs.interpreter, field, null);
    if (needs.kind === 'script') return;
    for (const name of needs.libraries) {
      const found = findLibrary(name, dirname(path), needs);
      if (found === null) throw refused(field, `must find its library ${name}`, path);
      this.#addWithNeeds(found.path, field, null);
      // The loader looks in its own folders; others it knows from a cache that speaks of the whole host.
      if (found.isElsewhere) {
        const link = `${linkFolder()}/${name}`;
        this.#entries.set(link, { kind: 'link', path: link, to: found.path });
      }
    }
  }

  /** Adds the links from a path on; returns where they end. */
  #addLinked(start: string, field: string): string {
    let at = start;
    for (let count = 0; count < LINKS_MAX; count++) {
      const path = canonical(at);
      const status = path === null ? undefined : lstatSync(path, { throwIfNoEntry: false });
      if (path === null || status === undefined) throw refused(field, 'must lead to a file', start);
      if (!status.isSymbolicLink()) return path;
      at = this.#addLink(path);
    }
    throw refused(field, 'must not go through so many links', start);
  }

  #addLink(path: string): string {
    const to = readlinkSync(path);
    this.#entries.set(path, { kind: 'link', path, to });
    return isAbsolute(to) ? to : join(dirname(path), to);
  }

  #addFile(path: string, { mode, size, mtimeMs }: Stats, sum: Checksum | null): void {
    const ownMode = (mode & EXECUTABLE_BITS) === 0 ? 0o644 : 0o755;
    this.#entries.set(path, { kind: 'file', path, mode: ownMode, size, mtimeMs, sum });
  }

  #sumOf(path: string): Checksum | null {
    const names = listedNames(path);
    const owner = this.#packages?.ownerOf(names);
    if (owner === undefined) return null;
    const sums = this.#packages!.sumsOf(owner);
    const hex = names.map((name) => sums.get(name)).find((sum) => sum !== undefined);
    return hex === undefined ? null : packageSum(hex, owner);
  }
}

function isShown({ mode }: Stats): boolean {
  return (mode & SET_ID_BITS) === 0 && (mode & READABLE_BY_ALL) !== 0;
}

function linkAt(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
}

function packageSum(hex: string, { id }: Package): Checksum {
  return { algorithm: 'md5', hex, by: `package ${id}` };
}

function refused(field: string, expected: string, got: string): InvalidOptionsError {
  return new InvalidOptionsError({ field, rule: 'format', expected, got: JSON.stringify(got) });
}

function noDatabase(): InvalidOptionsError {
  const expected = 'must not name packages where the system has no dpkg (/var/lib/dpkg)';
  const hint = 'Name programs instead: { programs: [...] }, and their folders in `toolchains`.';
  return new InvalidOptionsError({ field: 'options.root', rule: 'conflict', expected, hint });
}

function notInstalled(index: number, name: string): InvalidOptionsError {
  return new InvalidOptionsError({
    field: `options.root.packages[${index}]`,
    rule: 'format',
    expected: 'must be an installed package',
    got: JSON.stringify(name),
    hint: `Install it (apt-get install ${name}), or name it in optionalPackages.`,
  });
}

function withoutSum(path: string, { id }: Package): InvalidOptionsError {
  return new InvalidOptionsError({
    field: 'options.root',
    rule: 'format',
    expected: `must name packages that have checksums; ${id} has none for`,
    got: path,
    hint: 'Name the files that are needed as `programs`, with their sha256.',
  });
}
