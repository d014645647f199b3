/**
 * Descriptors of one program: which numbers it gets, what is behind them, and what the host keeps. `open*` makes them; after
 * the start message has been sent the program's ends are closed here, and the host's ends live in `captures`, `inputs`,
 * `outputs`.
 */
import { constants } from 'node:fs';
import { FileAccessError, InvalidOptionsError, SbxError } from '../errors.js';
import type { WorkFolder } from '../files/copy.js';
import { contentBytes, immediateBytes } from '../files/host-input.js';
import { FD_HOLD, FD_NULL, type Native, type NativeReader } from '../native.js';
import { checkWorkPath } from '../options/paths.js';
import { InputStream } from '../streams/input.js';
import { Output } from '../streams/output.js';
import { OutputStream } from '../streams/output-stream.js';
import type { FdSpec, InputSpec, OutputSpec, ProgramOptions } from '../types.js';

/** A descriptor that the caller made for the program, closed here once it is sent (pipes between programs). */
export interface GivenFd {
  target: number;
  fd: number;
  /** Taken over by the wiring, which closes it. */
  sent?: boolean;
}

export interface WiringOptions {
  folder: WorkFolder;
  options: ProgramOptions;
  /** Bound of each capture; `null` for none. */
  outputBytes: number | null;
  onOverflow: () => void;
  /** An iterable given as input threw. */
  onSourceError: (error: SbxError) => void;
  /** Chunks of captured descriptors as they come. */
  onData: (target: number) => ((chunk: Uint8Array) => void) | undefined;
  given: readonly GivenFd[];
}

/** What a pipe holds by default; more goes through a memory file. */
const PIPE_BYTES = 64 * 1024;
const CAPTURE_UNBOUNDED = 2 ** 31;

export class Wiring {
  readonly fdRows: number[] = [];
  readonly fds: number[] = [];
  readonly captures = new Map<number, NativeReader>();
  readonly inputs = new Map<number, InputStream>();
  readonly outputs = new Map<number, OutputStream>();
  /** Inputs that nobody outside writes to. */
  readonly #feeding: InputStream[] = [];
  readonly #sources: [InputStream, AsyncIterable<Uint8Array | string>][] = [];
  readonly #waiting: Promise<void>[] = [];
  readonly #native: Native;
  readonly #options: WiringOptions;
  /** Program's ends made here. Descriptors of the caller are not among them. */
  readonly #own: number[] = [];

  constructor(options: WiringOptions) {
    this.#options = options;
    this.#native = options.folder.native;
  }

  /** Opens everything; a promise only when a host file must be read. After a throw nothing is left open. */
  open(): Promise<void> | undefined {
    const { options, given } = this.#options;
    try {
      for (const end of given) {
        end.sent = true;
        this.#send(end.target, this.#keep(end.fd));
      }
      const taken = new Set(given.map(({ target }) => target));
      if (options.pty !== undefined) for (let target = 0; target < 3; target += 1) this.#null(target);
      else this.#openOutputs(taken);
      for (const [target, spec] of Object.entries(options.fds ?? {})) this.#openExtra(Number(target), spec);
      if (options.pty === undefined && !taken.has(0)) this.#openInput(0, options.stdin ?? 'empty');
      this.#checkCount();
      return this.#waiting.length === 0 ? undefined : this.#waitForHost();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  #checkCount(): void {
    const { programFdsMax } = this.#native.constants;
    if (this.fdRows.length / 2 <= programFdsMax) return;
    const expected = `must leave the program with at most ${programFdsMax} descriptors, 0 to 2 included`;
    throw new InvalidOptionsError({
      field: 'options.fds',
      rule: 'size',
      expected,
      got: `${this.fdRows.length / 2}`,
    });
  }

  async #waitForHost(): Promise<void> {
    try {
      await Promise.all(this.#waiting);
    } catch (error) {
      await Promise.allSettled(this.#waiting); // each may have opened something
      this.abandon();
      throw error;
    }
  }

  /** A terminal of the program, when it has one: its master becomes the program's stdin and stdout on our side. */
  attachTerminal(master: number, capture: boolean): void {
    this.inputs.set(0, new InputStream(this.#native, this.#native.duplicateFd(master)));
    if (capture) this.#capture(1, master);
    else this.outputs.set(1, new OutputStream(this.#native, master));
  }

  /** The start message is out: the program's ends are the program's. */
  sent(): void {
    this.#native.closeFds(this.#own.splice(0));
    for (const [input, source] of this.#sources) void this.#pump(input, source);
  }

  /** The program has not started and will not. */
  abandon(): void {
    this.#native.closeFds(this.#own.splice(0));
    for (const reader of this.captures.values()) reader.close();
    this.closeStreams();
  }

  /** Lets go of every stream, read or not. */
  closeStreams(): void {
    this.#closeInputs();
    for (const output of this.outputs.values()) output.destroy();
  }

  /** Every process is dead: what was captured. */
  collect(): Map<number, Output> {
    const collected = new Map<number, Output>();
    for (const [target, reader] of this.captures) {
      const [bytes, total] = reader.finish();
      collected.set(target, new Output(bytes, total));
    }
    this.#closeInputs();
    return collected;
  }

  #closeInputs(): void {
    for (const input of this.inputs.values()) input.destroy();
    for (const input of this.#feeding) input.destroy();
  }

  #openOutputs(taken: ReadonlySet<number>): void {
    const { stdout = 'capture', stderr = 'capture' } = this.#options.options;
    if (!taken.has(1)) this.#openOutput(1, stdout);
    if (taken.has(2)) return;
    if (stderr !== 'stdout') this.#openOutput(2, stderr);
    else this.#sameAsStdout();
  }

  #sameAsStdout(): void {
    for (let row = 0, sent = 0; row < this.fdRows.length; row += 2) {
      const flags = this.fdRows[row + 1]!;
      if (this.fdRows[row] === 1) {
        if (flags & FD_NULL) this.#null(2);
        else this.#send(2, this.fds[sent]!, flags);
        return;
      }
      if (!(flags & FD_NULL)) sent += 1;
    }
  }

  #openExtra(target: number, spec: FdSpec): void {
    if ('fd' in spec) this.#send(target, spec.fd);
    else if ('output' in spec) this.#openOutput(target, spec.output);
    else this.#openInput(target, spec.input);
  }

  #openInput(target: number, spec: InputSpec): void {
    if (spec === 'empty' || spec === 'null') return this.#null(target);
    if (spec === 'pipe') return void this.inputs.set(target, this.#inputPipe(target));
    if ('file' in spec) return this.#send(target, this.#openFile('read', spec.file, constants.O_RDONLY));
    if ('stream' in spec) return void this.#sources.push([this.#feed(target), spec.stream]);
    const bytes = immediateBytes(spec);
    if (bytes !== null) this.#openBytes(target, bytes);
    else this.#waiting.push(contentBytes(spec).then((content) => this.#openBytes(target, content)));
  }

  #openBytes(target: number, bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return this.#null(target);
    if (bytes.byteLength > PIPE_BYTES) {
      return this.#send(
        target,
        this.#keep(this.#check(this.#native.memoryFile(bytes), 'make a memory file')),
      );
    }
    void this.#feed(target)
      .end(bytes)
      .catch(() => undefined); // the program may leave it unread
  }

  #feed(target: number): InputStream {
    const input = this.#inputPipe(target);
    this.#feeding.push(input);
    return input;
  }

  /** Until the program stops reading or the source ends. */
  async #pump(input: InputStream, source: AsyncIterable<Uint8Array | string>): Promise<void> {
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
      this.#options.onSourceError(new SbxError({ code: 'SBX_STREAM_SOURCE', message, cause }));
    }
  }

  #openOutput(target: number, spec: OutputSpec): void {
    if (spec === 'null') return this.#null(target);
    if (typeof spec === 'object') {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
      return this.#send(target, this.#openFile('write', spec.file, flags));
    }
    const [read, write] = this.#pipe();
    this.#send(target, this.#keep(write), spec === 'capture' ? FD_HOLD : 0);
    if (spec === 'capture') this.#capture(target, read);
    else this.outputs.set(target, new OutputStream(this.#native, read));
  }

  #capture(target: number, fd: number): void {
    const { outputBytes, onOverflow, onData } = this.#options;
    const limitBytes = outputBytes ?? CAPTURE_UNBOUNDED;
    this.captures.set(
      target,
      new this.#native.Reader(fd, { limitBytes, onOverflow, onData: onData(target) }),
    );
  }

  #inputPipe(target: number): InputStream {
    const [read, write] = this.#pipe();
    this.#send(target, this.#keep(read));
    return new InputStream(this.#native, write);
  }

  #openFile(operation: string, file: string, flags: number): number {
    const { folder } = this.#options;
    const path = checkWorkPath(file);
    const opened = folder.native.openBeneath({
      dir: folder.fd,
      path,
      flags,
      mode: 0o644,
      owner: folder.owner,
    });
    if (opened < 0) throw new FileAccessError({ operation, path: file, errno: -opened });
    return this.#keep(opened);
  }

  #pipe(): [number, number] {
    const pipe = this.#native.pipe();
    return typeof pipe === 'number' ? [this.#check(pipe, 'make a pipe'), -1] : pipe;
  }

  #check(result: number, what: string): number {
    if (result >= 0) return result;
    const message = `The host could not ${what} (errno ${-result}).`;
    throw new SbxError({ code: 'SBX_INTERNAL', message, details: { errno: -result } });
  }

  #null(target: number): void {
    this.fdRows.push(target, FD_NULL);
  }

  #send(target: number, fd: number, flags = 0): void {
    this.fdRows.push(target, flags);
    this.fds.push(fd);
  }

  #keep(fd: number): number {
    this.#own.push(fd);
    return fd;
  }
}
