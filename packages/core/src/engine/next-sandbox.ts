/** The sandbox that a slot makes next: from the order to make it until somebody takes it. */
import type { SbxError } from '../errors.js';
import { type Channel, type HelperMessage, hostError, loadNative } from '../native.js';
import { openChannel, takeMessage } from '../native-reports.js';
import { lostError, setupError } from './failures.js';

type Listener = (message: HelperMessage) => void;

/** A sandbox that is ready for programs; both are its taker's. */
export interface Taken {
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
   * `fd`: our end of init's channel. `quiet`: what init says is heard when `settle` asks, or after `listen`. `onReady` gets the
   * memory that is charged to the group of the finished sandbox.
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

  /** Looks whether it stands by now. */
  settle(): void {
    const message = takeMessage(this.#channel);
    if (message === null) return;
    this.listen();
    this.#onMessage(message);
  }

  /** Whether its init is still there: the loop may not have come to the news of its death yet. */
  stands(): boolean {
    const message = takeMessage(this.#channel);
    if (message !== null) this.#onMessage(message);
    return message === null;
  }

  /** Whatever its init says is told from now on. */
  listen(): void {
    const failed = this.#channel.listen();
    if (failed < 0) this.#onLost(hostError('watch a socket', failed));
  }

  /** Once it is ready. Its messages go to `occupant` from now on. */
  take(occupant: Listener): Taken {
    this.#occupant = occupant;
    return { channel: this.#channel, treeFds: this.#treeFds! };
  }

  /** Nobody has taken it, and nobody will: its init sees that by its closed channel. */
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
