/** Entries of a manifest → files of the sandbox. */
import { constants as fsConstants } from 'node:fs';
import { open, readdir, readlink, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Sandbox } from '@sbx/core';
import { type Concurrency, eachOf } from './openai-agents-concurrency.js';
import { type Errors, unsupported } from './openai-agents-faults.js';
import { checkHostPaths, type Grants, isGranted } from './openai-agents-grants.js';
import type { OpenAIAgentsEntry, OpenAIAgentsManifest } from './openai-agents-types.js';
import { join, READ_BYTES_MAX } from './shared/files.js';

/** Files and folders that one `local_dir` may have. */
export const LOCAL_FILE_COUNT_MAX = 10_000;

/** Bits of a mode that files keep. */
const MODE_MASK = 0o1777;

/** The work folder itself, as manifests name it. */
export const isRoot = (path: string): boolean => path === '' || path === '.';

/** The work folder stays: nothing can take its place. */
export async function removeAllIn(sandbox: Sandbox): Promise<void> {
  for (const name of await sandbox.readdir('.')) await sandbox.rm(name, { recursive: true, force: true });
}

type Named = readonly [path: string, entry: OpenAIAgentsEntry];

/** Where entries are put, and by which rules. */
export interface Placing {
  sandbox: Sandbox;
  grants: Grants;
  concurrency: Concurrency;
}

/** Puts entries in place. */
export class Entries {
  readonly #errors: Errors;

  constructor(errors: Errors) {
    this.#errors = errors;
  }

  /**
   * Throws for what a manifest asks for and we have not; before anything is done. `earlier`: grants of its
   * session.
   */
  check({ users, groups, entries, extraPathGrants }: OpenAIAgentsManifest, earlier: Grants = []): void {
    const more = users.length > 0 ? 'manifest.users' : groups.length > 0 ? 'manifest.groups' : null;
    if (more !== null) unsupported(this.#errors, more, 'a sandbox has one user. Leave them out.');
    checkHostPaths(this.#errors, extraPathGrants);
    for (const [path, entry] of Object.entries(entries)) this.#checkEntry(path, entry);
    for (const [, { type, src }] of Object.entries(entries).flatMap(flat))
      if (type === 'local_file' || type === 'local_dir')
        this.#checkGranted(src, [...earlier, ...extraPathGrants]);
  }

  #checkGranted(src = '', grants: Grants): string {
    const path = resolve(src);
    if (isGranted(grants, path)) return path;
    throw new this.#errors.UserError(
      `The local source "${src}" must be below the current folder or a folder of manifest.extraPathGrants.`,
    );
  }

  #checkEntry(path: string, entry: OpenAIAgentsEntry): void {
    if (!['file', 'dir', 'local_file', 'local_dir'].includes(entry.type)) {
      const why = 'entries are file, dir, local_file or local_dir. Sandboxes have no network and no mounts.';
      unsupported(this.#errors, `the entry "${path}" of type ${entry.type}`, why);
    }
    if (entry.group !== undefined)
      unsupported(this.#errors, `the group of the entry "${path}"`, 'a sandbox has one user. Leave it out.');
    for (const [name, child] of Object.entries(entry.children ?? {}))
      this.#checkEntry(join(path, name), child);
  }

  /** Of a manifest that is checked. */
  async placeAll(placing: Placing, entries: OpenAIAgentsManifest['entries']): Promise<void> {
    const all = Object.entries(entries).flatMap(flat);
    const { sandbox, concurrency } = placing;
    for (const [path, { type }] of all)
      if (type === 'dir' && !isRoot(path)) await sandbox.mkdir(path, { recursive: true });
    // Copies first, one by one: an entry for a file of a copy wins over it.
    for (const named of all) if (named[1].type === 'local_dir') await this.#copy(placing, named);
    const files = all.filter(([, { type }]) => type === 'file' || type === 'local_file');
    await eachOf(files, concurrency.manifestEntries, (named) => this.#write(placing, named));
    // Innermost first, and when all are full: a folder may be one that nothing can be put into.
    for (const [path, entry] of all.toReversed())
      if (entry.type === 'dir' && !isRoot(path)) await sandbox.chmod(path, this.#modeOf(entry));
  }

  async place(placing: Placing, [path, entry]: Named): Promise<void> {
    this.#checkEntry(path, entry);
    await this.placeAll(placing, { [path]: entry });
  }

  #modeOf({ permissions }: OpenAIAgentsEntry): number {
    return this.#errors.permissionsForSandboxEntry(permissions as never).toMode() & MODE_MASK;
  }

  async #write({ sandbox, grants }: Placing, [path, entry]: Named): Promise<void> {
    const isLocal = entry.type === 'local_file';
    const content = isLocal ? await this.#read(await this.#source(entry, grants)) : (entry.content ?? '');
    await sandbox.writeFile(path, content, { mode: this.#modeOf(entry) });
  }

  /**
   * The path of the host, which must be below the current folder or a granted one, without links on the way.
   */
  async #source({ src }: OpenAIAgentsEntry, grants: Grants): Promise<string> {
    const path = this.#checkGranted(src, grants);
    const real = await realpath(path).catch(() => {
      throw new this.#errors.UserError(`The local source "${src}" is not there.`);
    });
    if (real !== path)
      throw new this.#errors.UserError(`The local source "${src}" has a symbolic link in it.`);
    return real;
  }

  /**
   * Of a path without links. A folder on the way may have become one since it was looked at: where commands
   * can write to a granted folder, they choose the moment.
   */
  async #read(path: string): Promise<Uint8Array> {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fsConstants;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await readlink(`/proc/self/fd/${file.fd}`)) !== path)
      throw new this.#errors.UserError(`The local source "${path}" was moved, or has a symbolic link in it.`);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > READ_BYTES_MAX)
      throw new this.#errors.UserError(
        `The local source "${path}" must be a regular file of at most ${READ_BYTES_MAX} bytes.`,
      );
    return file.readFile();
  }

  async #copy({ sandbox, grants, concurrency }: Placing, [path, entry]: Named): Promise<void> {
    const found = await this.#walk(await this.#source(entry, grants), path);
    await sandbox.mkdir(path, { recursive: true });
    for (const { to, isFolder } of found) if (isFolder) await sandbox.mkdir(to, { recursive: true });
    const files = found.filter(({ isFolder }) => !isFolder);
    await eachOf(files, concurrency.localDirFiles, async ({ from, to }) =>
      sandbox.writeFile(to, await this.#read(from)),
    );
    await sandbox.chmod(path, this.#modeOf(entry));
  }

  /** All that is below a folder of the host, a folder before what is in it. */
  async #walk(from: string, to: string): Promise<{ from: string; to: string; isFolder: boolean }[]> {
    const found: { from: string; to: string; isFolder: boolean }[] = [];
    const folders = [{ from, to }];
    for (const folder of folders) {
      for (const entry of await readdir(folder.from, { withFileTypes: true })) {
        const next = { from: join(folder.from, entry.name), to: join(folder.to, entry.name) };
        const isFolder = entry.isDirectory();
        if (!isFolder && !entry.isFile())
          throw new this.#errors.UserError(
            `A local_dir must have files and folders only: "${next.from}" is neither.`,
          );
        if (isFolder) folders.push(next);
        found.push({ ...next, isFolder });
        if (found.length > LOCAL_FILE_COUNT_MAX)
          throw new this.#errors.UserError(`A local_dir must have at most ${LOCAL_FILE_COUNT_MAX} files.`);
      }
    }
    return found;
  }
}

/** An entry and what is in it, a folder before what is in it. */
function flat([path, entry]: Named): Named[] {
  const children = entry.type === 'dir' ? Object.entries(entry.children ?? {}) : [];
  const within = (name: string) => (isRoot(path) ? name : join(path, name));
  return [[path, entry], ...children.flatMap(([name, child]) => flat([within(name), child]))];
}
