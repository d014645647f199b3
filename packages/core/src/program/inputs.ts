/** What a program reads: from the caller's specification to its end and ours. */
import { constants } from 'node:fs';
import { FileAccessError, SbxError } from '../errors.js';

import { contentBytes, immediateBytes, readOnlyFile } from '../files/host-input.js';
import { inTree, type WorkFolder } from '../files/trees.js';
import { FD_CONTENT } from '../native.js';
import { CONTENTS_MAX } from '../native-tables.js';
import { InputStream } from '../streams/input.js';
import type { InputSpec, SeekableContent } from '../types.js';
import type { Ends } from './ends.js';

/** What a pipe holds by default; more goes through a memory file. */
const PIPE_BYTES = 64 * 1024;
/** What goes along with the start, for init to make the file: sooner done than to make it here and send it. */
const SENT_BYTES = 8 * 1024;

type Source = AsyncIterable<Uint8Array | string>;

/** The members of `InputSpec` that are objects, as one. A key with `undefined` is not there. */
type AnyInput = Partial<{ file: string; inherit: number; stream: Source } & SeekableContent>;

export class Inputs {
  /** Those that somebody outside writes to. */
  readonly streams = new Map<number, InputStream>();
  /** Of files that init makes. */
  readonly contents: Uint8Array[] = [];
  readonly #ends: Ends;
  readonly #folder: WorkFolder;
  readonly #makesFiles: boolean;
  /** Those that nobody outside writes to. */
  readonly #feeding: InputStream[] = [];
  readonly #sources: [InputStream, Source][] = [];
  readonly #waiting: Promise<void>[] = [];
  readonly #files: [number, string][] = [];

  /** `makesFiles`: init can. */
  constructor(ends: Ends, folder: WorkFolder, makesFiles: boolean) {
    this.#ends = ends;
    this.#folder = folder;
    this.#makesFiles = makesFiles;
  }

  open(target: number, spec: InputSpec): void {
    if (spec === 'empty' || spec === 'null') return this.#ends.null(target);
    if (spec === 'closed') return;
    if (spec === 'pipe') return this.#ends.streamed(target, false, (fd) => this.attachStream(target, fd));
    const { file, inherit, stream, seekable } = spec as AnyInput;
    if (file !== undefined) return void this.#files.push([target, file]);
    if (inherit !== undefined) return this.#ends.inherit(target, inherit);
    if (stream !== undefined) return void this.#sources.push([this.#feed(target), stream]);
    if (seekable === true) return this.#openSeekable(target, spec as SeekableContent);
    const bytes = immediateBytes(spec as SeekableContent);
    if (bytes !== null) return this.#openBytes(target, bytes);
    this.wait(contentBytes(spec as SeekableContent).then((content) => this.#openBytes(target, content)));
  }

  /** The start waits for this. */
  wait(opening: Promise<void>): void {
    opening.catch(() => undefined); // told to who waits, if the start gets that far
    this.#waiting.push(opening);
  }

  /** For what must be read or copied first; each may have opened something by then, also when one fails. */
  waitForHost(): Promise<void> | undefined {
    if (this.#waiting.length === 0) return undefined;
    return Promise.all(this.#waiting).then(
      () => undefined,
      async (error) => {
        await Promise.allSettled(this.#waiting);
        throw error;
      },
    );
  }

  /** Those of the work folder, once it is filled. */
  openFiles(): void {
    for (const [target, file] of this.#files) {
      const { native } = this.#folder;
      const flags = constants.O_RDONLY;
      const opened = inTree(this.#folder, file, (dir, path) => native.openBeneath({ dir, path, flags }));
      if (opened < 0) throw new FileAccessError({ operation: 'read', path: file, errno: -opened });
      this.#ends.give(target, opened, '');
    }
  }

  /** To what somebody outside writes. */
  attachStream(target: number, fd: number): void {
    this.streams.set(target, InputStream.make(this.#ends.native, fd));
  }

  /** The program is on its way: iterables are read from now on. */
  start(onSourceError: (error: SbxError) => void): void {
    for (const [input, source] of this.#sources) void pump(input, source, onSourceError);
  }

  /** Nobody reads what we feed any more. */
  stopFeeding(): void {
    for (const input of this.#feeding) input.destroy();
  }

  close(): void {
    this.stopFeeding();
    for (const input of this.streams.values()) input.destroy();
  }

  #openBytes(target: number, bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return this.#ends.null(target);
    if (bytes.byteLength > PIPE_BYTES) return this.#openMemory(target, bytes);
    void this.#feed(target)
      .end(bytes)
      .catch(() => undefined); // the program may leave it unread
  }

  #openMemory(target: number, bytes: Uint8Array): void {
    if (this.#makesFiles && bytes.byteLength <= SENT_BYTES && this.contents.length < CONTENTS_MAX)
      return this.#ends.made(target, FD_CONTENT, this.contents.push(bytes) - 1);
    this.#ends.give(target, this.#ends.native.memoryFile(bytes), 'make a memory file');
  }

  #openSeekable(target: number, content: SeekableContent): void {
    const bytes = immediateBytes(content);
    if (bytes !== null) return this.#openMemory(target, bytes);
    const opened = readOnlyFile(this.#ends.native, content);
    if (typeof opened === 'number') return this.#ends.give(target, opened, '');
    this.wait(opened.then((fd) => this.#ends.give(target, fd, '')));
  }

  #feed(target: number): InputStream {
    const input = InputStream.make(this.#ends.native, this.#ends.pipe(target, false));
    this.#feeding.push(input);
    return input;
  }
}

/** Until the program stops reading or the source ends. */
async function pump(
  input: InputStream,
  source: Source,
  onSourceError: (error: SbxError) => void,
): Promise<void> {
  try {
    for await (const chunk of source) {
      const stopped = await input.write(chunk).then(
        () => false,
        () => true,
      );
      if (stopped) return;
    }
    await input.end();
  } catch (cause) {
    const message = 'The iterable given as input threw.';
    onSourceError(new SbxError({ code: 'SBX_STREAM_SOURCE', message, cause }));
  }
}
