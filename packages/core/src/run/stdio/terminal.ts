/** The host's side of a program's terminal: what is typed into it, what comes out, its size. */
import { contentBytes } from '../../files/host-input.js';
import type { Native } from '../../native/native.js';
import { immediateBytes } from '../../options/content.js';
import { InputStream } from '../../streams/input.js';
import type { PtyOptions } from '../../types/stdio.js';
import type { Inputs } from './inputs.js';
import type { Outputs } from './outputs.js';

const NOTHING = new Uint8Array(0);
/** Of what is typed before the program is there: as much as a terminal keeps of a line that is not ended. */
const AHEAD_MAX = 4095;

export class Terminal {
  readonly #native: Native;
  readonly #options: PtyOptions;
  readonly #inputs: Inputs;
  readonly #outputs: Outputs;
  #typed: Uint8Array = NOTHING;
  /** Of the master, for its size; -1 before the start and after the end. */
  #fd = -1;

  constructor(native: Native, options: PtyOptions, sides: { inputs: Inputs; outputs: Outputs }) {
    this.#native = native;
    this.#options = options;
    this.#inputs = sides.inputs;
    this.#outputs = sides.outputs;
  }

  /** Typed before the program is there, so that its echo comes before whatever the program writes. */
  get typedAhead(): Uint8Array {
    return this.#typed.subarray(0, AHEAD_MAX);
  }

  /** Gets what is to be typed, which may have to be read from the host. */
  prepare(): void {
    const { input } = this.#options;
    if (input === undefined) return;
    const type = (bytes: Uint8Array) => {
      this.#typed = bytes;
    };
    const bytes = immediateBytes(input);
    if (bytes === null) this.#inputs.wait(contentBytes(input).then(type));
    else type(bytes);
  }

  /**
   * It is there: its master becomes the program's stdin and stdout on our side. A living program's output is
   * a stream.
   */
  attach(master: number, spawned: boolean): void {
    this.#fd = this.#native.duplicateFd(master);
    const input = InputStream.make(this.#native, this.#native.duplicateFd(master));
    this.#inputs.streams.set(0, input);
    const { capture } = this.#options;
    if (spawned && capture === undefined) this.#outputs.attachStream(1, master);
    else if (capture?.overflow === 'hangup') {
      this.#outputs.attachCapture(1, master, { maxBytes: capture.maxBytes, onFull: () => this.#hangUp() });
    } else this.#outputs.attachCapture(1, master, { maxBytes: capture?.maxBytes });
    // The program may leave it unread.
    const rest = this.#typed.subarray(AHEAD_MAX);
    if (rest.byteLength > 0) void input.write(rest).catch(() => undefined);
  }

  resize(cols: number, rows: number): void {
    if (this.#fd >= 0) this.#native.resizeTerminal({ fd: this.#fd, cols, rows });
  }

  close(): void {
    if (this.#fd >= 0) this.#native.closeFds([this.#fd]);
    this.#fd = -1;
  }

  /**
   * With the last descriptor of the master the line is cut: SIGHUP for the session, EIO for who writes, end
   * of file for who reads.
   */
  #hangUp(): void {
    this.#inputs.streams.get(0)?.destroy();
    this.#outputs.hangUp(1);
    this.close();
  }
}
