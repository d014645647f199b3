/** The sandbox that a slot makes next: from the order to make it until a lease attaches to it. */
import type { SbxError } from '../errors.js';
import { openChannel, pollMessage } from '../native/channel.js';
import { type Channel, type HelperMessage, hostError, loadNative } from '../native/native.js';
import { lostError, setupError } from './failures.js';

type Listener = (message: HelperMessage) => void;

/** A sandbox that is ready for programs; channel and descriptors belong to the lease. */
export interface AttachedSandbox {
  channel: Channel;
  /** Roots of its own file systems; the work folder's comes first. */
  treeFds: number[];
}

export class NextSandbox {
  readonly #channel: Channel;
  readonly #onReady: (heldBytes: number | null) => void;
  readonly #onLost: (error: SbxError) => void;
  #treeFds: number[] | null = null;
  #occupant: Listener | null = null;
  #dropped = false;

  /**
   * `fd`: our end of init's channel. `quiet`: messages of init are received by `pollReady`, or after
   * `subscribe`. `onReady` gets the memory that is charged to the group of the finished sandbox.
   */
  constructor(
    fd: number,
    quiet: boolean,
    onReady: (heldBytes: number | null) => void,
    onLost: (error: SbxError) => void,
  ) {
    this.#channel = openChannel(fd, (message) => this.#onMessage(message), quiet);
    this.#onReady = onReady;
    this.#onLost = onLost;
  }

  get isReady(): boolean {
    return this.#treeFds !== null;
  }

  /** Receives the message that the sandbox is ready, if it has come. */
  pollReady(): void {
    const message = pollMessage(this.#channel);
    if (message === null) return;
    this.subscribe();
    this.#onMessage(message);
  }

  /** Whether its init still lives: the event loop may not have read of its death yet. */
  isStillReady(): boolean {
    const message = pollMessage(this.#channel);
    if (message !== null) this.#onMessage(message);
    return message === null;
  }

  /** Messages of init are received as they come from now on. */
  subscribe(): void {
    const failed = this.#channel.listen();
    if (failed < 0) this.#onLost(hostError('watch a socket', failed));
  }

  /** Gives a ready sandbox to a lease: messages go to `occupant` from now on. */
  attach(occupant: Listener): AttachedSandbox {
    this.#occupant = occupant;
    return { channel: this.#channel, treeFds: this.#treeFds! };
  }

  /** Gives up a sandbox without a lease: its init sees that by the closed channel. */
  drop(): void {
    this.#dropped = true;
    this.#channel.close();
    if (this.#treeFds !== null) loadNative().native.closeFds(this.#treeFds);
  }

  #onMessage(message: HelperMessage): void {
    if (this.#occupant !== null) return this.#occupant(message);
    if (message.kind === 'ready') {
      if (this.#dropped) return loadNative().native.closeFds(message.fds);
      this.#treeFds = message.fds;
      return this.#onReady(message.heldBytes);
    }
    if (this.#dropped) return;
    this.#onLost(
      message.kind === 'failed' ? setupError(message) : lostError('A sandbox that nobody had taken'),
    );
  }
}
