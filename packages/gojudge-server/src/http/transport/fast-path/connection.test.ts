// Who gets what of a connection: the fast path or Node, over real sockets.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { RequestContext } from '../../request-context.js';
import { FastPathConnection } from './connection.js';
import { SIMPLE_BYTES_MAX } from './request.js';

/** Of clients that are silent; the others are only slow, as the machine is. */
const SILENCE_MS = 80;
const PATIENCE_MS = 10_000;
const BODY = '{"cmd":[]}';
const HEAD = `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const RUN = HEAD + BODY;
const ODD = 'GET /file HTTP/1.1\r\nHost: x\r\nOdd: 1\r\n\r\n';

interface FastPath {
  client: Socket;
  /** In order: requests that the fast path served, bytes that Node got, the end. */
  events: string[];
  /** What the client received. */
  received(): string;
  /** The other end. */
  server(): Socket;
  happens(event: string): Promise<void>;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const openToSilent = () => openFastPath(undefined, undefined, SILENCE_MS);

/** `before(n)`: what the n-th answer waits for. Answers are the paths' and the numbers. */
async function openFastPath(
  before: (count: number) => Promise<unknown> = async () => undefined,
  isClosing = () => false,
  silenceMs = PATIENCE_MS,
): Promise<FastPath> {
  const events: string[] = [];
  let count = 0;
  let accepted: Socket;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted = socket;
    const host = {
      serve: async (request: { path: string }, incoming: RequestContext) => {
        events.push(`served ${request.path} ${incoming.readBody(99)}`);
        count += 1;
        await before(count);
        if (!socket.destroyed) socket.write(`[${request.path} ${count}]`);
      },
      handOver: (_connection: FastPathConnection, handed: Socket) => {
        events.push('handed over');
        let text = '';
        handed.on('data', (chunk: Buffer) => {
          text += chunk;
          events.push(`node ${text.replaceAll('\r\n', '|')}`);
        });
        handed.on('end', () => events.push('node end')).on('error', () => undefined);
      },
      closed: () => void events.push('closed'),
      get isClosing() {
        return isClosing();
      },
    };
    new FastPathConnection(socket, host as never, silenceMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect({
    port: (server.address() as AddressInfo).port,
    allowHalfOpen: true,
    noDelay: true,
  });
  let text = '';
  client.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  client.on('error', () => undefined);
  ends.push(() => {
    client.destroy();
    server.close();
  });
  await once(client, 'connect');
  const happens = async (event: string) => {
    for (const end = performance.now() + 5000; !events.includes(event); await sleep(2)) {
      if (performance.now() > end) throw new Error(`${event} did not happen; ${events.join(', ')} did`);
    }
  };
  return { client, events, received: () => text, server: () => accepted, happens };
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const SERVED = `served /run ${BODY}`;

/** Each part is a read of its own at the other end, however late that is: two that meet are another case. */
async function send({ client, server }: FastPath, ...parts: string[]): Promise<void> {
  for (const part of parts) {
    client.write(part);
    await expect.poll(() => server().bytesRead, { interval: 2, timeout: 5000 }).toBe(client.bytesWritten);
    await sleep(10);
  }
}

describe('the fast path serves', () => {
  test('one request after another', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, RUN, RUN);
    await expect.poll(() => fastPath.received()).toBe('[/run 1][/run 2]');
    expect(fastPath.events).toEqual([SERVED, SERVED]);
  });

  test('a body that comes after its head, in three parts', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, HEAD, BODY.slice(0, 2), BODY.slice(2, 4), BODY.slice(4));
    expect(fastPath.events).toEqual([SERVED]);
  });

  test('what came while it was busy, when it is done', async () => {
    const first = gate();
    const fastPath = await openFastPath(async (count) => count === 1 && first.opened);
    await send(fastPath, RUN, HEAD, BODY);
    expect(fastPath.events).toEqual([SERVED]);
    first.open();
    await expect.poll(fastPath.received).toBe('[/run 1][/run 2]');
    expect(fastPath.events).toEqual([SERVED, SERVED]);
  });

  test('a client that is silent between two requests', async () => {
    const fastPath = await openToSilent();
    await send(fastPath, RUN);
    await sleep(2 * SILENCE_MS);
    await send(fastPath, RUN);
    expect(fastPath.events).toEqual([SERVED, SERVED]);
  });

  test('one that closes its sending side, and the connection ends', async () => {
    const fastPath = await openFastPath(() => sleep(30));
    fastPath.client.end(RUN);
    await once(fastPath.client, 'end');
    expect(fastPath.received()).toBe('[/run 1]');
  });
});

describe('Node gets', () => {
  test('what is not simple, from its first byte, and all that follows', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, RUN, ODD, RUN);
    const odd = ODD.replaceAll('\r\n', '|');
    const run = RUN.replaceAll('\r\n', '|');
    expect(fastPath.events).toEqual([SERVED, 'handed over', `node ${odd}`, `node ${odd}${run}`]);
  });

  test('two requests in one read', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, RUN + ODD);
    expect(fastPath.events).toEqual(['handed over', `node ${(RUN + ODD).replaceAll('\r\n', '|')}`]);
  });

  test('a head that is cut off, and its rest', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, 'GET /file HT', 'TP/1.1\r\n');
    expect(fastPath.events).toEqual(['handed over', 'node GET /file HT', 'node GET /file HTTP/1.1|']);
  });

  test('the end', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, ODD);
    fastPath.client.end();
    await fastPath.happens('node end');
  });

  test('who is silent from the beginning', async () => {
    const fastPath = await openToSilent();
    await fastPath.happens('handed over');
    await send(fastPath, RUN);
    expect(fastPath.events).toContain(`node ${RUN.replaceAll('\r\n', '|')}`);
  });

  test('a head whose body does not come', async () => {
    const fastPath = await openToSilent();
    await send(fastPath, RUN, HEAD);
    await fastPath.happens(`node ${HEAD.replaceAll('\r\n', '|')}`);
  });

  test('a body in many parts', async () => {
    const fastPath = await openFastPath();
    await send(fastPath, HEAD, ...BODY);
    expect(fastPath.events[0]).toBe('handed over');
    await fastPath.happens(`node ${RUN.replaceAll('\r\n', '|')}`);
  });

  test('what came while the fast path was busy and is not simple, after the answer', async () => {
    const run = gate();
    const fastPath = await openFastPath(() => run.opened);
    await send(fastPath, RUN, ODD);
    expect(fastPath.events).toEqual([SERVED]);
    run.open();
    await fastPath.happens(`node ${ODD.replaceAll('\r\n', '|')}`);
    await expect.poll(fastPath.received).toBe('[/run 1]');
    expect(fastPath.events.slice(0, 2)).toEqual([SERVED, 'handed over']);
  });
});

describe('ends', () => {
  test('a request whose client says no more gets what Node says', async () => {
    const fastPath = await openFastPath();
    fastPath.client.end(HEAD);
    await once(fastPath.client, 'end');
    expect(fastPath.received()).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  test('one that is not simple behind one that is, and no more', async () => {
    const run = gate();
    const fastPath = await openFastPath(() => run.opened);
    await send(fastPath, RUN);
    fastPath.client.end(ODD);
    await expect.poll(() => fastPath.server().readableEnded).toBe(true);
    run.open();
    await once(fastPath.client, 'end');
    expect(fastPath.received()).toBe('[/run 1]HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  test('a silent client that leaves', async () => {
    const fastPath = await openToSilent();
    fastPath.client.end();
    await fastPath.happens('closed');
    expect(fastPath.received()).toBe('');
  });

  test('a client that leaves is not forgotten before its run is over', async () => {
    const run = gate();
    const fastPath = await openFastPath(() => run.opened);
    await send(fastPath, RUN);
    fastPath.client.resetAndDestroy();
    await expect.poll(() => fastPath.server().destroyed).toBe(true);
    await sleep(40);
    expect(fastPath.events).toEqual([SERVED]);
    run.open();
    await fastPath.happens('closed');
  });

  test('at shutdown, after the answer', async () => {
    const run = gate();
    const fastPath = await openFastPath(
      () => run.opened,
      () => true,
    );
    await send(fastPath, RUN);
    run.open();
    await once(fastPath.client, 'end');
    expect(fastPath.received()).toBe('[/run 1]');
  });
});

test.each([
  ['in large pieces', 400, SIMPLE_BYTES_MAX],
  ['byte by byte', 200, 1],
])('who sends on and on meanwhile is not read any further, %s', async (_, count, bytes) => {
  const first = gate();
  const fastPath = await openFastPath(() => first.opened);
  await send(fastPath, RUN);
  let read = 0;
  fastPath.server().on('data', () => (read += 1));
  for (let sent = 0; sent < count; sent += 1) {
    fastPath.client.write(Buffer.alloc(bytes, 'x'));
    await new Promise(setImmediate);
  }
  await expect.poll(() => fastPath.server().isPaused(), { timeout: 10_000 }).toBe(true);
  expect(read).toBeLessThan(70);
  first.open();
  await fastPath.happens('handed over');
  expect(fastPath.server().isPaused()).toBe(false);
});
