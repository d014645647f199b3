/**
 * The packages of the system as dpkg knows them, read from its files: which packages are installed, what they
 * need, which files they brought, and the checksums of those. dpkg itself is not run: a minimal root can be
 * made where only its database is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An installed package. */
export interface Package {
  /** With its architecture where several may be installed: as its lists are named. */
  readonly id: string;
  readonly name: string;
  /** Each a list of alternatives, by name. */
  readonly needs: readonly (readonly string[])[];
  /** Every system has it; other packages need not say what they need it for. */
  readonly isBasic: boolean;
}

export class Packages {
  readonly #folder: string;
  readonly #byName = new Map<string, Package>();
  readonly #providers = new Map<string, string>();
  readonly #lists: ReadonlySet<string>;
  readonly #diversions: readonly { from: string; to: string; by: string }[];
  #owners: Map<string, Package> | null = null;
  readonly #sums = new Map<string, ReadonlyMap<string, string>>();

  /** Throws `ENOENT` where there is no dpkg. */
  constructor(folder = '/var/lib/dpkg') {
    this.#folder = folder;
    this.#lists = new Set(readdirSync(join(folder, 'info')).filter((name) => name.endsWith('.list')));
    for (const text of readFileSync(join(folder, 'status'), 'utf8').split('\n\n')) this.#add(fieldsOf(text));
    this.#diversions = readDiversions(folder);
  }

  /** `undefined`: not installed. Of another architecture than the system's only by its full name. */
  find(name: string): Package | undefined {
    return this.#byName.get(name) ?? this.#byName.get(this.#providers.get(name) ?? '');
  }

  /** The packages and all that they need, without basic ones that are not named. */
  withNeeds(names: readonly string[]): Package[] {
    const found = new Set<Package>(names.flatMap((name) => this.find(name) ?? []));
    for (const one of found) {
      for (const alternatives of one.needs) {
        const need = alternatives.map((name) => this.find(name)).find((other) => other !== undefined);
        if (need !== undefined && !need.isBasic) found.add(need);
      }
    }
    return [...found];
  }

  /** Where its files lie, absolute; folders are among them. */
  filesOf({ id, name }: Package): string[] {
    const lines = readFileSync(join(this.#folder, 'info', `${id}.list`), 'utf8').split('\n');
    return lines.filter((line) => line.length > 1 && line !== '/.').map((path) => this.#diverted(path, name));
  }

  /** MD5 by path, of the files that have one. */
  sumsOf({ id, name }: Package): ReadonlyMap<string, string> {
    const known = this.#sums.get(id);
    if (known !== undefined) return known;
    const lines = (readText(join(this.#folder, 'info', `${id}.md5sums`)) ?? '').split('\n');
    const sums = new Map<string, string>();
    for (const line of lines) {
      const [, sum, path] = /^([0-9a-f]{32}) [ *](.+)$/.exec(line) ?? [];
      if (sum !== undefined) sums.set(this.#diverted(`/${path}`, name), sum);
    }
    this.#sums.set(id, sums);
    return sums;
  }

  /** The package that brought a file, by one of the names that its path has in lists. */
  ownerOf(names: readonly string[]): Package | undefined {
    this.#owners ??= this.#readOwners();
    for (const name of names) {
      const owner = this.#owners.get(name);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  /** Links that `update-alternatives` keeps: where each is, and its name in /etc/alternatives. */
  alternatives(): { path: string; name: string }[] {
    const folder = join(this.#folder, 'alternatives');
    return namesIn(folder).flatMap((master) => {
      const [, path = '', ...rest] = (readText(join(folder, master)) ?? '').split('\n');
      const slaves = rest.slice(0, rest.indexOf(''));
      const pairs = slaves.flatMap((name, at) =>
        at % 2 === 0 ? [{ name, path: slaves[at + 1] ?? '' }] : [],
      );
      return [{ path, name: master }, ...pairs];
    });
  }

  #add(fields: ReadonlyMap<string, string>): void {
    const name = fields.get('Package') ?? '';
    const architecture = fields.get('Architecture') ?? '';
    if (!fields.get('Status')?.endsWith(' installed')) return;
    const id = this.#lists.has(`${name}:${architecture}.list`) ? `${name}:${architecture}` : name;
    if (!this.#lists.has(`${id}.list`)) return;
    const needs = [...needsIn(fields.get('Pre-Depends')), ...needsIn(fields.get('Depends'))];
    const isBasic = fields.get('Essential') === 'yes' || fields.get('Priority') === 'required';
    const one = { id, name, needs, isBasic };
    this.#byName.set(`${name}:${architecture}`, one);
    // Libraries of a second architecture do not take the place of the first one's.
    if (!this.#byName.has(name) || OWN_ARCHITECTURES.includes(architecture)) this.#byName.set(name, one);
    for (const [virtual = ''] of needsIn(fields.get('Provides'))) this.#providers.set(virtual, name);
  }

  /** A file of this package that another one has put aside. */
  #diverted(path: string, name: string): string {
    return this.#diversions.find(({ from, by }) => from === path && by !== name)?.to ?? path;
  }

  #readOwners(): Map<string, Package> {
    const owners = new Map<string, Package>();
    for (const one of new Set(this.#byName.values()))
      for (const path of this.filesOf(one)) owners.set(path, one);
    return owners;
  }
}

const DEBIAN_NAMES: Readonly<Record<'x64' | 'arm64', string>> = { x64: 'amd64', arm64: 'arm64' };
const OWN_ARCHITECTURES = [DEBIAN_NAMES[process.arch as 'x64' | 'arm64'], 'all'];

/** Fields of a paragraph; of those over several lines the first. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^([A-Za-z-]+): *(.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value!);
  }
  return fields;
}

/** `a (>= 1) | b, c:any` → [[a, b], [c]]. */
function needsIn(text = ''): string[][] {
  if (text === '') return [];
  return text.split(',').map((need) => need.split('|').map((name) => name.trim().replace(/[\s(:[].*$/, '')));
}

function readDiversions(folder: string): { from: string; to: string; by: string }[] {
  const lines = (readText(join(folder, 'diversions')) ?? '').split('\n');
  const rows: { from: string; to: string; by: string }[] = [];
  for (let at = 0; at + 2 < lines.length; at += 3)
    rows.push({ from: lines[at]!, to: lines[at + 1]!, by: lines[at + 2]! });
  return rows;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
