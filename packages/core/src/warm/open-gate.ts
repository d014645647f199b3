/**
 * The fanotify open gate: a program blocks in its opening of a file until the content is there;
 * `native/addon/gate.h` says how.
 */
import { errnoName } from '../errno.js';
import { loadNative, type NativeGate } from '../native/native.js';

export class OpenGate {
  readonly #native: NativeGate;
  readonly #onOpened = new Map<number, () => void>();

  constructor() {
    const { native } = loadNative();
    this.#native = new native.Gate((id) => this.#onOpened.get(id)?.());
  }

  /**
   * Makes the file; `onOpened` is called when the first program blocks there. Negative: not possible, and why
   * (errno).
   */
  hold(dir: number, path: string, owner: number, onOpened: () => void): number {
    const id = this.#native.hold({ dir, path, owner });
    if (id >= 0) this.#onOpened.set(id, onOpened);
    return id;
  }

  /**
   * Writes the content and resumes the program. Negative: it could not be written (errno), or nobody waits
   * (ENOENT).
   */
  resume(id: number, bytes: Uint8Array): number {
    this.#onOpened.delete(id);
    return this.#native.open({ id, bytes });
  }

  /** For a file whose programs are on their way out. */
  drop(id: number): void {
    this.#onOpened.delete(id);
    this.#native.drop(id);
  }

  close(): void {
    this.#onOpened.clear();
    this.#native.close();
  }
}

/** Why a file could not be held, for people. */
export function openGateReason(errno: number): string {
  const cause = errnoName(errno) ?? `errno ${errno}`;
  return `programs cannot be held at the opening of a file (fanotify: ${cause}); root in the first user namespace is needed`;
}
