/** Entries of a manifest → files of the sandbox. */
import { type Dirent, constants as fsConstants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Sandbox } from '@sbx/core';
import { type Errors, unsupported } from './openai-agents-faults.js';
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

/** Puts entries in place. */
export class Entries {
  readonly #errors: Errors;

  constructor(errors: Errors) {
    this.#errors = errors;
  }

  /** Throws for what a manifest asks for and we have not; before anything is done. */
  check({ users, groups, entries }: OpenAIAgentsManifest): void {
    const more = users.length > 0 ? 'manifest.users' : groups.length > 0 ? 'manifest.groups' : null;
    if (more !== null) unsupported(this.#errors, more, 'a sandbox has one user. Leave them out.');
    for (const [path, entry] of Object.entries(entries)) this.#checkEntry(path, entry);
  }

  #checkEntry(path: string, entry: OpenAIAgentsEntry): void {
    if (!['file', 'dir', 'local_file', 'local_dir'].includes(entry.type)) {
      const why = 'entries are file, dir, local_file or local_dir. Sandboxes have no network and no mounts.';
      unsupported(this.#errors, `the entry "${path}" of type ${entry.type}`, why);
    }
    if (entry.group !== undefined)
      unsupported(this.#errors, `the group of the entry "${path}"`, 'a sandbox has one user.');
    for (const [name, child] of Object.entries(entry.children ?? {}))
      this.#checkEntry(join(path, name), child);
  }

  /** Of a manifest that is checked. */
  async placeAll(sandbox: Sandbox, manifest: OpenAIAgentsManifest): Promise<void> {
    for (const [path, entry] of Object.entries(manifest.entries))
      await this.place(sandbox, path, entry, manifest.extraPathGrants);
  }

  async place(
    sandbox: Sandbox,
    path: string,
    entry: OpenAIAgentsEntry,
    grants: OpenAIAgentsManifest['extraPathGrants'],
  ): Promise<void> {
    this.#checkEntry(path, entry);
    const { permissionsForSandboxEntry } = this.#errors;
    const mode = permissionsForSandboxEntry(entry.permissions as never).toMode() & MODE_MASK;
    switch (entry.type) {
      case 'file':
        return sandbox.writeFile(path, entry.content ?? '', { mode });
      case 'local_file':
        return sandbox.writeFile(path, await this.#read(await this.#source(entry, grants)), { mode });
      case 'local_dir':
        await this.#copy(sandbox, await this.#source(entry, grants), path, { count: 0 });
        return sandbox.chmod(path, mode);
      default:
        if (!isRoot(path)) await sandbox.mkdir(path, { recursive: true });
        for (const [name, child] of Object.entries(entry.children ?? {}))
          await this.place(sandbox, isRoot(path) ? name : join(path, name), child, grants);
        return isRoot(path) ? undefined : sandbox.chmod(path, mode);
    }
  }

  /**
   * The path of the host, which must be below the current folder or a granted one, without links on the way.
   */
  async #source({ src = '' }: OpenAIAgentsEntry, grants: OpenAIAgentsManifest['extraPathGrants']) {
    const path = resolve(src);
    const roots = [process.cwd(), ...grants.map((grant) => grant.hostPath ?? grant.path)];
    if (!roots.some((root) => isWithin(root, path)))
      throw new this.#errors.UserError(
        `The local source "${src}" must be below the current folder or a folder of manifest.extraPathGrants.`,
      );
    const real = await realpath(path).catch(() => {
      throw new this.#errors.UserError(`The local source "${src}" is not there.`);
    });
    if (real !== path)
      throw new this.#errors.UserError(`The local source "${src}" has a symbolic link in it.`);
    return real;
  }

  async #read(path: string): Promise<Uint8Array> {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fsConstants;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > READ_BYTES_MAX)
      throw new this.#errors.UserError(
        `The local source "${path}" must be a regular file of at most ${READ_BYTES_MAX} bytes.`,
      );
    return file.readFile();
  }

  async #copy(sandbox: Sandbox, from: string, to: string, total: { count: number }): Promise<void> {
    await sandbox.mkdir(to, { recursive: true });
    for (const entry of await readdir(from, { withFileTypes: true })) {
      if (++total.count > LOCAL_FILE_COUNT_MAX)
        throw new this.#errors.UserError(`A local_dir must have at most ${LOCAL_FILE_COUNT_MAX} files.`);
      const source = join(from, entry.name);
      const target = join(to, entry.name);
      if (entry.isDirectory()) await this.#copy(sandbox, source, target, total);
      else await sandbox.writeFile(target, await this.#read(this.#regular(entry, source)));
    }
  }

  #regular(entry: Dirent, path: string): string {
    if (entry.isFile()) return path;
    throw new this.#errors.UserError(`A local_dir must have files and folders only: "${path}" is neither.`);
  }
}

function isWithin(root: string, path: string): boolean {
  const below = relative(resolve(root), path);
  return below !== '..' && !below.startsWith('../') && !isAbsolute(below);
}
