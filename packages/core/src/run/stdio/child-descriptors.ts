/**
 * The child descriptor table: the program's ends of its descriptors, by number, from their opening until they
 * are sent.
 */
import { fstatSync } from 'node:fs';
import { FileAccessError, InvalidOptionsError } from '../../errors.js';
import { EISDIR } from '../../native/errno.js';
import { FD_NULL, hostError, type Native } from '../../native/native.js';
import { PROGRAM_FDS_MAX } from '../../native/tables.js';

interface ChildDescriptor {
  /** -1 for a descriptor that init has or creates. */
  fd: number;
  flags: number;
  /** Index among the files created by init. */
  index: number;
}

const NULL_DESCRIPTOR: ChildDescriptor = Object.freeze({ fd: -1, flags: FD_NULL, index: 0 });

export class ChildDescriptors {
  readonly native: Native;
  readonly #byTarget = new Map<number, ChildDescriptor>();
  /** Descriptors that are closed here once they are sent. */
  readonly #own: number[] = [];
  /** The host's ends that become streams, and how. */
  readonly #streamed: [fd: number, attach: (fd: number) => void][] = [];
  #closed = false;

  constructor(native: Native) {
    this.native = native;
  }

  has(target: number): boolean {
    return this.#byTarget.has(target);
  }

  addNull(target: number): void {
    this.#byTarget.set(target, NULL_DESCRIPTOR);
  }

  /** A file created by init: `FD_CONTENT` or `FD_OUTPUT`, and its index. */
  addMadeByInit(target: number, flags: number, index: number): void {
    this.#byTarget.set(target, { fd: -1, flags, index });
  }

  /** Takes over `fd`, which may be a negative error number: `what` could not be made then. */
  add(target: number, fd: number, what: string, flags = 0): void {
    this.#own.push(this.check(fd, what));
    this.#byTarget.set(target, { fd, flags, index: 0 });
    if (this.#closed) this.close(); // the start was given up while this was being opened
  }

  /**
   * A copy of the caller's descriptor, which it may close or use again while the program is being started.
   */
  addCopy(target: number, fd: number): void {
    const own = this.native.duplicateFd(fd);
    const path = `descriptor ${fd}`;
    if (own < 0) throw new FileAccessError({ operation: 'inherit', path, errno: -own });
    this.add(target, own, '');
    // A program with a descriptor of a folder can reach everything around it, whatever its root is. Init
    // refuses it, too.
    if (fstatSync(own).isDirectory())
      throw new FileAccessError({ operation: 'inherit', path, errno: EISDIR });
  }

  /** The same open file on a second number. */
  addAlias(target: number, other: number): void {
    this.#byTarget.set(target, this.#byTarget.get(other)!);
  }

  /** Makes a pipe: the program's end goes under `target`, the host's is returned. */
  addPipe(target: number, programWrites: boolean, flags = 0): number {
    const [read, write] = openPipe(this.native, programWrites ? 0o222 : 0o444);
    this.add(target, programWrites ? write : read, '', flags);
    return programWrites ? read : write;
  }

  /**
   * As `addPipe`; the host's end becomes a stream after the start message is sent, so that the start need not
   * wait for that.
   */
  addStreamedPipe(target: number, programWrites: boolean, attach: (fd: number) => void): void {
    this.#streamed.push([this.addPipe(target, programWrites), attach]);
  }

  check(result: number, what: string): number {
    if (result < 0) throw hostError(what, result);
    return result;
  }

  /**
   * The rows of a start message. With a terminal 0 to 2 are the terminal, and a descriptor that replaces one
   * of them comes after.
   */
  rows(terminal: boolean): { fdRows: number[]; fds: number[] } {
    const fdRows = terminal ? [0, FD_NULL, 0, 1, FD_NULL, 0, 2, FD_NULL, 0] : [];
    const fds: number[] = [];
    for (const [target, { fd, flags, index }] of this.#byTarget) {
      fdRows.push(target, flags, index);
      if (fd >= 0) fds.push(fd);
    }
    this.#checkCount(fdRows.length / 3);
    return { fdRows, fds };
  }

  /** The start message is sent: closes the program's ends here, and makes the streams. */
  closeSent(): void {
    this.close();
    for (let next = this.#streamed.shift(); next !== undefined; next = this.#streamed.shift()) {
      const [fd, attach] = next;
      attach(fd);
    }
  }

  /** There is no start: closes both ends. */
  abandon(): void {
    this.close();
    this.native.closeFds(this.#streamed.splice(0).map(([fd]) => fd));
  }

  /** Closes the program's ends. */
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
