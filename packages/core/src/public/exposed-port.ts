/** `sandbox.expose()`: a port of this machine that leads to one of the sandbox. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { onAbort } from '@sbx/shared';
import { SbxError } from '../errors.js';
import type { Session } from '../run/session.js';
import type { ExposeOptions } from '../types/ports.js';
import { notConstructed } from './not-constructed.js';

/**
 * A loopback address that nothing else is at: of 127.0.0.1 a browser would have what runs in a sandbox share
 * the cookies of other servers, and those that trust pages of their own machine would trust it.
 */
const HOST = '127.83.66.120';
const CONNECTIONS_MAX = 256;

/**
 * A port of this machine that leads to one of a sandbox; ends with the sandbox, or by `close()`. Whoever can
 * connect to it speaks with what runs in the sandbox, and what that says is as untrusted as its other output.
 * To a browser its address is an origin of its own.
 */
export class ExposedPort implements AsyncDisposable {
  /** Address of this machine that it listens on. */
  readonly host: string;
  /** Port of this machine. */
  readonly port: number;
  readonly #server: Server;
  readonly #open: ReadonlySet<Socket>;
  readonly #release: () => void;
  #closed: Promise<void> | null = null;

  private constructor(session: Session, server: Server, open: ReadonlySet<Socket>) {
    if (!(open instanceof Set)) throw notConstructed('ExposedPort', 'await sandbox.expose(port)');
    const { address, port } = server.address() as AddressInfo;
    this.host = address;
    this.port = port;
    this.#server = server;
    this.#open = open;
    this.#release = onAbort(session.closing, () => void this.close());
  }

  /** @internal */
  static async open(session: Session, port: number, options: ExposeOptions): Promise<ExposedPort> {
    session.connections.checkNetwork();
    const { host = HOST, port: ownPort = 0, timeoutMs, maxConnections = CONNECTIONS_MAX } = options;
    const open = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (outside) => {
      open.add(outside);
      outside.once('close', () => open.delete(outside));
      void join(session, port, timeoutMs, outside);
    });
    server.maxConnections = maxConnections;
    await listen(server, ownPort, host);
    try {
      session.checkOpen(); // it may have been closed meanwhile
    } catch (error) {
      server.close();
      throw error;
    }
    return new ExposedPort(session, server, open);
  }

  /** For a server that speaks HTTP: `http://127.83.66.120:40123`. */
  get url(): string {
    return `http://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  /** Nobody can connect any more, and connections end. Safe to call twice. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#release();
      this.#server.close(() => resolve());
      for (const socket of this.#open) socket.destroy();
    });
    return this.#closed;
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error) => {
      const message = `Port ${port} of ${host} cannot be listened on: ${cause.message}.`;
      reject(new SbxError({ code: 'SBX_PORT_UNAVAILABLE', message, details: { host, port }, cause }));
    };
    server.once('error', refuse).listen(port, host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** Who leaves while nobody inside has taken the connection ends the attempt. */
async function join(session: Session, port: number, timeoutMs: number | undefined, outside: Socket) {
  const left = new AbortController();
  const leave = () => left.abort();
  outside.on('error', leave).once('close', leave);
  try {
    const inside = await session.connections.connect(port, {
      timeoutMs,
      allowHalfOpen: true,
      signal: left.signal,
    });
    inside.setNoDelay();
    pipeline(outside, inside, outside, () => undefined); // an end in the middle is the end of this one alone
  } catch {
    outside.resetAndDestroy();
  }
}
