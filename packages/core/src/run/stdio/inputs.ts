/** The inputs of a program: from the caller's specification to both ends of each descriptor. */
import { constants } from 'node:fs';
import { FileAccessError, SbxError } from '../../errors.js';
import { refuseUnlessRegular } from '../../files/chunks.js';
import { contentBytes, readOnlyFile } from '../../files/host-input.js';
import { inTree, type WorkFolder } from '../../files/trees.js';
import { FD_CONTENT } from '../../native/native.js';
import { CONTENTS_MAX } from '../../native/tables.js';
import { immediateBytes } from '../../options/content.js';
import { ChunkSource } from '../../streams/chunk-source.js';
import { holdStream } from '../../streams/held.js';
import { InputStream } from '../../streams/input.js';
import type { FdSpec, InputSpec, SeekableContent } from '../../types/stdio.js';
import type { ChildDescriptors } from './child-descriptors.js';

/** Capacity of a pipe by default; larger inputs go through a memory file. */
const PIPE_BYTES = 64 * 1024;
/**
 * Inputs up to this size are sent with the start message, and init creates the file: faster than creating it
 * here and sending it.
 */
const SENT_BYTES = 8 * 1024;

type Chunk = Uint8Array | string;

/** The members of `InputSpec` that are objects, as one. A key with `undefined` is not there. */
type AnyInput = Partial<{ file: string; inherit: number; stream: AsyncIterable<Chunk> } & SeekableContent>;

export class Inputs {
  /** Inputs that the caller writes to. */
  readonly streams = new Map<number, InputStream>();
  /** Contents of the files created by init. */
  readonly contents: Uint8Array[] = [];
  readonly #descriptors: ChildDescriptors;
  readonly #folder: WorkFolder;
  readonly #makesFiles: boolean;
  /** Inputs that this library writes to. */
  readonly #feeding: InputStream[] = [];
  readonly #sources: [InputStream, ChunkSource<Chunk>][] = [];
  readonly #waiting: Promise<void>[] = [];
  readonly #files: [number, string][] = [];
  #isClosed = false;

  /** `makesFiles`: init can create files for the program to read. */
  constructor(descriptors: ChildDescriptors, folder: WorkFolder, makesFiles: boolean) {
    this.#descriptors = descriptors;
    this.#folder = folder;
    this.#makesFiles = makesFiles;
  }

  open(target: number, spec: InputSpec): void {
    if (spec === 'empty' || spec === 'null') return this.#descriptors.addNull(target);
    if (spec === 'closed') return;
    if (spec === 'pipe')
      return this.#descriptors.addStreamedPipe(target, false, (fd) => this.attachStream(target, fd));
    const { file, inherit, stream, seekable } = spec as AnyInput;
    if (file !== undefined) return void this.#files.push([target, file]);
    if (inherit !== undefined) return this.#descriptors.addCopy(target, inherit);
    if (stream !== undefined) return void this.#sources.push([this.#feed(target), new ChunkSource(stream)]);
    if (seekable === true) return this.#openSeekable(target, spec as SeekableContent);
    const bytes = immediateBytes(spec as SeekableContent);
    if (bytes !== null) return this.#openBytes(target, bytes);
    this.wait(contentBytes(spec as SeekableContent).then((content) => this.#openBytes(target, content)));
  }

  /** The start waits for this. */
  wait(opening: Promise<void>): void {
    opening.catch(() => undefined); // rejects `waitForHost`, if the start gets that far
    this.#waiting.push(opening);
  }

  /**
   * Waits for all that must be read or copied first; each may have opened something by then, also when one
   * fails.
   */
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

  /** Opens the files of the work folder, once it is filled. */
  openFiles(): void {
    for (const [target, file] of this.#files) {
      const { native } = this.#folder;
      const flags = constants.O_RDONLY;
      const opened = inTree(this.#folder, file, (dir, path, known) =>
        native.openBeneath({ dir, path, flags, known }),
      );
      if (opened < 0) throw new FileAccessError({ operation: 'read', path: file, errno: -opened });
      this.#descriptors.add(target, opened, '');
      // An earlier program of the session may have made something else of this name. Init refuses a folder,
      // but cannot say whose it is.
      refuseUnlessRegular(opened, 'read', file);
    }
  }

  /** Makes the stream of an input that the caller writes to. */
  attachStream(target: number, fd: number): void {
    this.streams.set(target, InputStream.make(this.#descriptors.native, fd));
  }

  /** The program is on its way: iterables are read from now on. */
  start(onSourceError: (error: SbxError) => void): void {
    const tell = (error: SbxError) => {
      if (!this.#isClosed) onSourceError(error);
    };
    for (const [input, source] of this.#sources) void pump(input, source, tell);
  }

  /** The program is gone: nothing more is read for it, also of a stream that owes a chunk. */
  close(): void {
    this.#isClosed = true;
    for (const input of this.#feeding) input.destroy();
    for (const [, source] of this.#sources) void source.close().catch(() => undefined);
    for (const input of this.streams.values()) input.destroy();
  }

  #openBytes(target: number, bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return this.#descriptors.addNull(target);
    if (bytes.byteLength > PIPE_BYTES) return this.#openMemory(target, bytes);
    void this.#feed(target)
      .end(bytes)
      .catch(() => undefined); // the program may leave it unread
  }

  #openMemory(target: number, bytes: Uint8Array): void {
    if (this.#makesFiles && bytes.byteLength <= SENT_BYTES && this.contents.length < CONTENTS_MAX)
      return this.#descriptors.addMadeByInit(target, FD_CONTENT, this.contents.push(bytes) - 1);
    this.#descriptors.add(target, this.#descriptors.native.memoryFile(bytes), 'make a memory file');
  }

  #openSeekable(target: number, content: SeekableContent): void {
    const bytes = immediateBytes(content);
    if (bytes !== null) return this.#openMemory(target, bytes);
    const opened = readOnlyFile(this.#descriptors.native, content);
    if (typeof opened === 'number') return this.#descriptors.add(target, opened, '');
    this.wait(opened.then((fd) => this.#descriptors.add(target, fd, '')));
  }

  #feed(target: number): InputStream {
    const input = InputStream.make(this.#descriptors.native, this.#descriptors.addPipe(target, false));
    this.#feeding.push(input);
    return input;
  }
}

/** Until the program stops reading or the source ends. */
async function pump(
  input: InputStream,
  source: ChunkSource<Chunk>,
  onSourceError: (error: SbxError) => void,
): Promise<void> {
  try {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      const taken = await input.write(next.value).then(
        () => true,
        (error: SbxError) => {
          if (error.code === 'SBX_STREAM_ENDED') return false;
          throw error;
        },
      );
      if (!taken) return await source.close();
    }
    await input.end();
  } catch (cause) {
    await source.close().catch(() => undefined);
    const message = 'The iterable given as input threw, or gave something other than text or bytes.';
    onSourceError(new SbxError({ code: 'SBX_STREAM_SOURCE', message, cause }));
  }
}

/** Where streams may be in the options of a program. */
interface ProgramInputs {
  stdin?: InputSpec | undefined;
  fds?: Record<number, FdSpec> | undefined;
}

/** As `holdInputs`, of all programs of a group. */
export function holdInputsOfEach(programs: readonly (ProgramInputs | null | undefined)[]): void {
  for (const program of programs) holdInputs(program ?? undefined);
}

/** Holds the streams that a program is going to read. To be called before the first wait. */
export function holdInputs(options: ProgramInputs | undefined): void {
  if (options === undefined) return;
  const { stdin, fds } = options;
  if (typeof stdin === 'object') holdStreamOf(stdin);
  if (fds !== undefined)
    for (const spec of Object.values(fds))
      if (typeof spec === 'object' && 'input' in spec) holdStreamOf(spec.input);
}

function holdStreamOf(input: InputSpec): void {
  if (typeof input === 'object' && 'stream' in input) holdStream(input.stream);
}
