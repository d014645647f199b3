/**
 * What unit tests have in the place of the addon: sockets that the test speaks at the other end of,
 * descriptors that are numbers.
 */
import type { Channel, HelperMessage } from '../native/native.js';
import type { SandboxSpec } from './sandbox-spec.js';

export class FakeChannel {
  readonly fd: number;
  closed = false;
  #listens: boolean;
  readonly #waiting: HelperMessage[] = [];
  readonly #onMessage: (message: HelperMessage) => void;

  constructor(fd: number, onMessage: (message: HelperMessage) => void, quiet: boolean) {
    this.fd = fd;
    this.#onMessage = onMessage;
    this.#listens = !quiet;
  }

  get listens(): boolean {
    return this.#listens;
  }

  /** The other end says something. */
  receive(message: HelperMessage): void {
    if (this.closed) return;
    if (this.#listens) this.#onMessage(message);
    else this.#waiting.push(message);
  }

  listen(): number {
    this.#listens = true;
    for (const message of this.#waiting.splice(0)) this.#onMessage(message);
    return 0;
  }

  take(): HelperMessage | null {
    return this.#waiting.shift() ?? null;
  }

  close(): void {
    this.closed = true;
  }
}

/** An order to make a sandbox. */
export interface Order {
  spec: SandboxSpec;
  oneCpu: boolean;
  /** Descriptors into the sandbox before. */
  left: number[];
  /** Our end of the channel to the init that is made. */
  fd: number;
}

/** All that was asked of the addon since `forget`. */
export class FakeNative {
  readonly channels = new Map<number, FakeChannel>();
  readonly orders: Order[] = [];
  groupsSent = 0;
  closedFds: number[] = [];
  holds = 0;
  /** What the next order to make a sandbox returns in the place of a descriptor. */
  refusal: number | null = null;
  #nextFd = 100;

  forget(): void {
    this.channels.clear();
    this.orders.length = 0;
    this.groupsSent = 0;
    this.closedFds = [];
    this.holds = 0;
    this.refusal = null;
  }

  readonly loadNative = () => ({
    helperPath: '',
    native: {
      channelPair: (): [number, number] => [this.#nextFd++, this.#nextFd++],
      closeFds: (fds: number[]) => void this.closedFds.push(...fds),
      holdLoop: () => {
        this.holds += 1;
      },
      releaseLoop: () => {
        this.holds -= 1;
      },
    },
  });

  readonly openChannel = (fd: number, onMessage: (message: HelperMessage) => void, quiet = false) => {
    const channel = new FakeChannel(fd, onMessage, quiet);
    this.channels.set(fd, channel);
    return channel;
  };

  readonly pollMessage = (channel: Channel) => (channel as unknown as FakeChannel).take();

  readonly sendPrepare = (
    _channel: unknown,
    spec: SandboxSpec,
    hints: { oneCpu: boolean },
    left: number[],
  ) => {
    if (this.refusal !== null) return this.refusal;
    const fd = this.#nextFd++;
    this.orders.push({ spec, oneCpu: hints.oneCpu, left: [...left], fd });
    return fd;
  };

  readonly sendGroups = () => {
    this.groupsSent += 1;
    return 0;
  };

  /** The init of the sandbox that was ordered last, or of the `index`th, is there. */
  makeReady(index = this.orders.length - 1, heldBytes: number | null = null): void {
    const { fd } = this.orders[index]!;
    this.channels.get(fd)!.receive({ kind: 'ready', fds: [fd * 10], heldBytes });
  }
}

export const fake = new FakeNative();

/** The part of vitest's `vi` that this needs; core's sources import no test library. */
interface Mocker {
  doMock(path: string, factory: (original: () => Promise<object>) => object): unknown;
}

/** Puts the fake in the addon's place, for the modules that are imported from now on. */
export function useFakeNative(vi: Mocker): void {
  vi.doMock('../native/native.js', async (original) => ({
    ...(await original()),
    loadNative: fake.loadNative,
  }));
  const { openChannel, pollMessage, sendPrepare, sendGroups } = fake;
  vi.doMock('../native/channel.js', () => ({ openChannel, pollMessage, sendPrepare, sendGroups }));
}

/** A spec; those of one key are interchangeable. */
export function specOf(key: string, nextSpec?: SandboxSpec): SandboxSpec {
  const flags = { loopback: false, strict: false, seccompKill: false, terminal: false };
  return { ...flags, diskBytes: 0, diskFileCount: 0, key, ...(nextSpec === undefined ? {} : { nextSpec }) };
}
