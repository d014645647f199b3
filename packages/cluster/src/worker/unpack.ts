/**
 * A request that came to options of this machine's engine. Files that are not in the message come through the
 * worker's cache.
 */
import type { FdSpec, FileInput, GroupProgram, InputSpec, RunnerOptions } from '@sbx/core';
import type { HeldFile } from '../contents/file-cache.js';
import { inlineBytes } from '../contents/reader.js';
import type { Blob, StoredBlob } from '../wire/blob.js';
import type { WireFile, WireInput, WireProgram } from '../wire/request.js';

/** Files of a job that are not in its message, until they are released. */
export type HoldFile = (blob: StoredBlob) => Promise<HeldFile>;

type Given = { bytes: Uint8Array } | { hostFile: string };

export class Unpacker {
  readonly #bytes: Uint8Array;
  readonly #hold: HoldFile;
  readonly #releases: (() => void)[] = [];

  constructor(bytes: Uint8Array, hold: HoldFile) {
    this.#bytes = bytes;
    this.#hold = hold;
  }

  /** Files of the cache may go, when the job is over. */
  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  async program(wire: WireProgram): Promise<GroupProgram> {
    const { stdin, fds, pty, env, files, ...rest } = wire;
    const program: Record<string, unknown> = rest;
    if (stdin !== undefined) program.stdin = await this.#input(stdin);
    if (env !== undefined) program.env = 'strings' in env ? env.strings : recordOf(env.pairs);
    if (files !== undefined) program.files = await this.#files(files);
    if (fds !== undefined) program.fds = await this.#fds(fds);
    if (pty !== undefined) {
      const { input, ...options } = pty;
      program.pty = input === undefined ? options : { ...options, input: await this.#content(input.blob) };
    }
    return program as unknown as GroupProgram;
  }

  async #content(blob: Blob): Promise<Given> {
    if ('at' in blob) return { bytes: inlineBytes(blob, this.#bytes) };
    const { path, release } = await this.#hold(blob);
    this.#releases.push(release);
    return { hostFile: path };
  }

  async #input(input: WireInput): Promise<InputSpec> {
    if (typeof input !== 'object' || 'file' in input) return input;
    const { blob, seekable } = input;
    return { ...(await this.#content(blob)), ...(seekable === undefined ? {} : { seekable }) };
  }

  async #fds(fds: NonNullable<WireProgram['fds']>): Promise<Record<number, FdSpec>> {
    const given: Record<number, FdSpec> = {};
    for (const [fd, spec] of fds) {
      given[fd] = 'input' in spec ? { input: await this.#input(spec.input) } : (spec as FdSpec);
    }
    return given;
  }

  async #files(files: readonly [string, WireFile][]): Promise<NonNullable<RunnerOptions['files']>> {
    const given: Record<string, FileInput> = Object.create(null);
    for (const [path, file] of files) {
      if ('symlink' in file) given[path] = file;
      else {
        const { blob, ...rest } = file;
        given[path] = { ...(await this.#content(blob)), ...rest };
      }
    }
    return { ...given };
  }
}

function recordOf(pairs: readonly [string, string][]): Record<string, string> {
  return Object.fromEntries(pairs);
}
