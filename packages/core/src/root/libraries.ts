/** Where the loader of a program finds its libraries on the host. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Needs, needsOf } from './elf.js';

const TRIPLET = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch as 'x64' | 'arm64'];

/** Folders that loaders look in without being told: Debian's glibc, other glibcs, musl. */
const OWN_FOLDERS = [`/lib/${TRIPLET}`, `/usr/lib/${TRIPLET}`, '/lib64', '/usr/lib64', '/lib', '/usr/lib'];

/** Where a link makes a library known to every loader. */
export function linkFolder(): string {
  return '/usr/lib';
}

type ElfNeeds = Extract<Needs, { kind: 'elf' }>;

/**
 * The library for a program in `folder`; `isElsewhere`: no loader would look there. `null`: there is none for
 * its machine.
 */
export function findLibrary(
  name: string,
  folder: string,
  { folders, machine }: ElfNeeds,
): { path: string; isElsewhere: boolean } | null {
  const fits = (path: string) => isFile(path) && machineOf(path) === machine;
  if (name.includes('/')) return fits(name) ? { path: name, isElsewhere: false } : null;
  const named = folders.map((one) => one.replace(/\$(ORIGIN\b|\{ORIGIN\})/g, folder));
  const known = [...named, ...OWN_FOLDERS].map((one) => join(one, name)).find(fits);
  if (known !== undefined) return { path: known, isElsewhere: false };
  const configured = configuredFolders('/etc/ld.so.conf')
    .map((one) => join(one, name))
    .find(fits);
  return configured === undefined ? null : { path: configured, isElsewhere: true };
}

/** `include` lines are followed where they name all files of a folder. */
function configuredFolders(path: string): string[] {
  return linesOf(path).flatMap((line) => {
    const [, pattern] = /^include\s+(.+)$/.exec(line) ?? [];
    if (pattern === undefined) return line.startsWith('/') ? [line] : [];
    const folder = dirname(pattern);
    const names = pattern.endsWith('/*.conf') ? namesIn(folder).filter((name) => name.endsWith('.conf')) : [];
    return names.flatMap((name) => linesOf(join(folder, name)).filter((one) => one.startsWith('/')));
  });
}

function machineOf(path: string): string | null {
  const needs = needsOf(path);
  return needs.kind === 'elf' ? needs.machine : null;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** A missing file has no lines: then the loader has no such folders either. */
function linesOf(path: string): string[] {
  return isFile(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.trim())
    : [];
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : [];
}
