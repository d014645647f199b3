/** The program's ends of its descriptors, by number, from their opening until they are sent. */
import { fstatSync } from 'node:fs';
import { FileAccessError, InvalidOptionsError } from '../errors.js';
import { FD_NULL, hostError, type Native } from '../native.js';
import { EISDIR } from '../native-errno.js';
import { PROGRAM_FDS_MAX } from '../native-tables.js';

interface End {
  /** -1 for what init has or makes. */
  fd: number;
  flags: number;
  /** Of what init makes: which. */
  index: number;
}

const NULL_END: End = Object.freeze({ fd: -1, flags: FD_NULL, index: 0 });

export class Ends {
  readonly native: Native;
  readonly #ends = new Map<number, End>();
  /** What is closed here once it is sent. */
  readonly #own: number[] = [];
  /** Our ends that become streams, and how. */
  readonly #streamed: [fd: number, attach: (fd: number) => void][] = [];
  #closed = false;

  constructor(native: Native) {
    this.native = native;
  }

  has(target: number): boolean {
    return this.#ends.has(target);
  }

  null(target: number): void {
    this.#ends.set(target, NULL_END);
  }

  /** A file that init makes: `FD_CONTENT` or `FD_OUTPUT`, and which of them. */
  made(target: number, flags: number, index: number): void {
    this.#ends.set(target, { fd: -1, flags, index });
  }

  /** Takes over `fd`, which may be a negative error number: `what` could not be made then. */
  give(target: number, fd: number, what: string, flags = 0): void {
    this.#own.push(this.check(fd, what));
    this.#ends.set(target, { fd, flags, index: 0 });
    if (this.#closed) this.close(); // the start was given up while this was being opened
  }

  /** A copy of the caller's descriptor, which it may close or use again while the program is being started. */
  inherit(target: number, fd: number): void {
    const own = this.native.duplicateFd(fd);
    const path = `descriptor ${fd}`;
    if (own < 0) throw new FileAccessError({ operation: 'inherit', path, errno: -own });
    this.give(target, own, '');
    // Whoever holds a folder can name all that lies around it, whatever is its root. Init refuses it, too.
    if (fstatSync(own).isDirectory())
      throw new FileAccessError({ operation: 'inherit', path, errno: EISDIR });
  }

  /** The same open file on a second number. */
  share(target: number, other: number): void {
    this.#ends.set(target, this.#ends.get(other)!);
  }

  /** The program's end goes under `target`; ours is returned. */
  pipe(target: number, programWrites: boolean, flags = 0): number {
    const [read, write] = openPipe(this.native, programWrites ? 0o222 : 0o444);
    this.give(target, programWrites ? write : read, '', flags);
    return programWrites ? read : write;
  }

  /** As `pipe`; of our end a stream is made when the program is on its way: it need not wait for that. */
  streamed(target: number, programWrites: boolean, attach: (fd: number) => void): void {
    this.#streamed.push([this.pipe(target, programWrites), attach]);
  }

  check(result: number, what: string): number {
    if (result < 0) throw hostError(what, result);
    return result;
  }

  /** As a start message has them. With a terminal 0 to 2 are it, and what stands in for one of them comes after. */
  rows(terminal: boolean): { fdRows: number[]; fds: number[] } {
    const fdRows = terminal ? [0, FD_NULL, 0, 1, FD_NULL, 0, 2, FD_NULL, 0] : [];
    const fds: number[] = [];
    for (const [target, { fd, flags, index }] of this.#ends) {
      fdRows.push(target, flags, index);
      if (fd >= 0) fds.push(fd);
    }
    this.#checkCount(fdRows.length / 3);
    return { fdRows, fds };
  }

  /** They are the program's now. */
  sent(): void {
    this.close();
    for (let next = this.#streamed.shift(); next !== undefined; next = this.#streamed.shift()) {
      const [fd, attach] = next;
      attach(fd);
    }
  }

  /** They are nobody's, nor are ours. */
  abandon(): void {
    this.close();
    this.native.closeFds(this.#streamed.splice(0).map(([fd]) => fd));
  }

  /** Only those of the program. */
  close(): void {
    this.#closed = true;
    this.native.closeFds(this.#own.splice(0));
  }

  #checkCount(count: number): void {
    if (count <= PROGRAM_FDS_MAX) return;
    const expected = `must leave the program with at most ${PROGRAM_FDS_MAX} descriptors, 0 to 2 included`;
    throw new InvalidOptionsError({ field: 'options.fds', rule: 'size', expected, got: `${count}` });
  }
}

/** `mode`: what programs may open it for once more; by default both. */
export function openPipe(native: Native, mode?: number): [read: number, write: number] {
  const pipe = mode === undefined ? native.pipe() : native.pipe(mode);
  if (typeof pipe === 'number') throw hostError('make a pipe', pipe);
  return pipe;
}
