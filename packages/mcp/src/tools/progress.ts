/**
 * Output as it comes, as progress notifications: `message` is the text, `progress` the bytes so far,
 * `_meta['sbx/stream']` which stream. Small chunks are joined, and a program that writes faster than the
 * client takes waits.
 */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { CallShare } from './call-memory.js';

const JOIN_MS = 50;
const MESSAGE_BYTES_MAX = 8192;
/** Hosts count, or take a UUID. Each message repeats it: of 4 MiB, next to nothing else would be sent. */
const TOKEN_LENGTH_MAX = 1024;

type StreamName = 'stdout' | 'stderr';

export interface Progress {
  onStdout: (chunk: Uint8Array) => Promise<void>;
  onStderr: (chunk: Uint8Array) => Promise<void>;
  /** Sends what is left; to be called before the result. */
  finish(): Promise<void>;
}

/** `null` when the caller asked for none, or under a name that is too long. */
export function progressOf(ctx: ServerContext, memory: CallShare): Progress | null {
  const token = ctx.mcpReq._meta?.progressToken;
  if (token === undefined || String(token).length > TOKEN_LENGTH_MAX) return null;
  let progress = 0;
  const send = (stream: StreamName, message: string, bytes: number) => {
    progress += bytes;
    const params = { progressToken: token, progress, message, _meta: { 'sbx/stream': stream } };
    // A client that has gone is found out by its request's own end.
    const sent = ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    return sent.then(() => memory.whenTaken());
  };
  const stdout = new Joiner((text, bytes) => send('stdout', text, bytes));
  const stderr = new Joiner((text, bytes) => send('stderr', text, bytes));
  return {
    onStdout: (chunk) => stdout.take(chunk),
    onStderr: (chunk) => stderr.take(chunk),
    async finish() {
      await stdout.finish();
      await stderr.finish();
    },
  };
}

class Joiner {
  readonly #send: (text: string, bytes: number) => Promise<unknown>;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #text = '';
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(send: (text: string, bytes: number) => Promise<unknown>) {
    this.#send = send;
  }

  async take(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += MESSAGE_BYTES_MAX) {
      const part = chunk.subarray(at, at + MESSAGE_BYTES_MAX);
      this.#text += this.#decoder.decode(part, { stream: true });
      this.#bytes += part.byteLength;
      if (this.#bytes >= MESSAGE_BYTES_MAX) await this.#flush();
    }
    this.#timer ??= setTimeout(() => void this.#flush(), JOIN_MS).unref();
  }

  async finish(): Promise<void> {
    this.#text += this.#decoder.decode();
    await this.#flush();
  }

  #flush(): Promise<unknown> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [text, bytes] = [this.#text, this.#bytes];
    this.#text = '';
    this.#bytes = 0;
    if (bytes > 0) this.#sent = this.#sent.then(() => this.#send(text, bytes));
    return this.#sent;
  }
}
