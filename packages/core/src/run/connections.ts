/**
 * Connections from the host to programs of a sandbox that stays. Init makes the socket, which is then of the
 * sandbox's network and charged to its memory, and the host connects it: nothing that a program does can keep
 * init waiting, and nothing but such sockets leads in.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort, unlessAborted } from '@sbx/shared';
import { InvalidOptionsError, SbxError } from '../errors.js';
import { EAFNOSUPPORT, EPIPE } from '../native/errno.js';
import { hostError } from '../native/native.js';
import type { ConnectOptions } from '../types/ports.js';
import type { SandboxLease } from './sandbox-lease.js';

const TIMEOUT_MS = 5000;
/** Of the first attempt, however short `timeoutMs` is. */
const FIRST_MS = 1000;
/** Between attempts. */
const PAUSE_MS = { first: 5, longest: 100 };

/** Servers listen on one or both: those of Node that were told `localhost` on the second alone. */
const LOOPBACK = [
  { host: '127.0.0.1', ipv6: false },
  { host: '::1', ipv6: true },
] as const;

type Address = (typeof LOOPBACK)[number];

export class Connections {
  readonly #lease: SandboxLease;
  readonly #open = new Set<Socket>();
  readonly #closing: () => AbortSignal;

  /** `closing`: aborted when the sandbox closes. */
  constructor(lease: SandboxLease, closing: () => AbortSignal) {
    this.#lease = lease;
    this.#closing = closing;
  }

  /** Throws for a sandbox that has no ports. */
  checkNetwork(): void {
    const { loopback, strict } = this.#lease.slot.spec;
    if (!loopback)
      throw new InvalidOptionsError({
        field: 'options.network',
        rule: 'conflict',
        expected: "must be 'loopback' for a sandbox whose ports are to be connected to",
        hint: "Sandbox.create({ network: 'loopback' }).",
      });
    // Its filter is init's, too, and no program of it listens.
    if (strict)
      throw new InvalidOptionsError({
        field: 'options.seccomp',
        rule: 'conflict',
        expected: "must not be 'strict' for a sandbox whose ports are to be connected to",
      });
  }

  /** The sandbox must be open, and the options checked. */
  async connect(port: number, options: ConnectOptions): Promise<Socket> {
    const { timeoutMs = TIMEOUT_MS, allowHalfOpen = false, signal } = options;
    signal?.throwIfAborted();
    this.checkNetwork();
    const stop = new AbortController();
    const release = [
      onAbort(signal, () => stop.abort(signal?.reason)),
      onAbort(this.#closing(), () => stop.abort(this.#lease.closedError())),
    ];
    const timer = setTimeout(() => stop.abort(unreachable(port, timeoutMs)), Math.max(timeoutMs, FIRST_MS));
    const until = performance.now() + timeoutMs;
    try {
      for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
        const socket = await this.#connectOnce(port, allowHalfOpen, stop.signal);
        if (socket !== null) return this.#follow(socket);
        if (performance.now() + pauseMs > until) throw unreachable(port, timeoutMs);
        await sleep(pauseMs, undefined, { signal: stop.signal });
      }
    } catch (error) {
      throw stop.signal.aborted ? stop.signal.reason : error;
    } finally {
      clearTimeout(timer);
      for (const each of release) each();
    }
  }

  /** Ends those that stand. */
  close(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** At the first address that somebody listens on; `null`: nobody does. */
  async #connectOnce(port: number, allowHalfOpen: boolean, stop: AbortSignal): Promise<Socket | null> {
    for (const address of LOOPBACK) {
      const socket = await this.#makeSocket(address, allowHalfOpen, stop);
      if (socket === null) continue;
      try {
        await established(socket, port, address, stop);
        return socket;
      } catch {
        stop.throwIfAborted(); // else refused, or there is no such address: worth another try
      }
    }
    return null;
  }

  /** `null`: this machine has no such addresses. */
  async #makeSocket({ ipv6 }: Address, allowHalfOpen: boolean, stop: AbortSignal): Promise<Socket | null> {
    const { core } = this.#lease;
    const drop = (late: number) => {
      if (late >= 0) core.native.closeFds([late]);
    };
    const made = await unlessAborted(this.#lease.makeSocket(ipv6), stop, drop);
    if (made === EAFNOSUPPORT) return null;
    if (made === EPIPE) throw this.#lease.lost ?? this.#lease.closedError();
    if (made < 0) throw hostError('make a socket of the sandbox', made);
    // Not read from before it is connected, which Node does at once with a descriptor otherwise.
    const options = { fd: core.native.giveAway(made), allowHalfOpen, manualStart: true };
    return new Socket(options as SocketConstructorOpts);
  }

  /** A program that resets a connection must not end the host, where nobody listens for errors. */
  #follow(socket: Socket): Socket {
    this.#open.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.#open.delete(socket));
  }
}

/** The socket is destroyed where it is not. */
function established(socket: Socket, port: number, { host }: Address, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const release = onAbort(stop, () => socket.destroy(stop.reason));
    const onConnect = () => {
      release();
      socket.off('error', onError);
      resolve();
    };
    const onError = (error: Error) => {
      release();
      reject(error);
    };
    socket.once('connect', onConnect).once('error', onError).connect({ host, port });
  });
}

function unreachable(port: number, timeoutMs: number): SbxError {
  return new SbxError({
    code: 'SBX_PORT_UNREACHABLE',
    message: `Nobody took a connection to port ${port} of the sandbox (timeoutMs is ${timeoutMs}).`,
    details: { port, timeoutMs },
  });
}
