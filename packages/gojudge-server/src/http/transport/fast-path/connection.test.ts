// Who gets what of a connection: the lane or Node, over real sockets.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Asked } from '../../request-context.js';
import { PlainConnection } from './connection.js';
import { PLAIN_BYTES_MAX } from './request.js';

const SILENCE_MS = 80;
const BODY = '{"cmd":[]}';
const HEAD = `POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const RUN = HEAD + BODY;
const ODD = 'GET /file HTTP/1.1\r\nHost: x\r\nOdd: 1\r\n\r\n';

interface Lane {
  client: Socket;
  /** In order: requests that the lane served, bytes that Node got, the end. */
  events: string[];
  /** What the client heard. */
  heard(): string;
  /** The other end. */
  server(): Socket;
  happens(event: string): Promise<void>;
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** `served(n)`: the time that the n-th answer takes. Answers are the paths' and the numbers. */
async function openLane(ms: (count: number) => number = () => 0, isClosing = () => false): Promise<Lane> {
  const events: string[] = [];
  let count = 0;
  let accepted: Socket;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted = socket;
    const host = {
      serve: async (request: { path: string }, asked: Asked) => {
        events.push(`served ${request.path} ${asked.readBody(99)}`);
        count += 1;
        await sleep(ms(count));
        if (!socket.destroyed) socket.write(`[${request.path} ${count}]`);
      },
      handOver: (_connection: PlainConnection, handed: Socket) => {
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
    new PlainConnection(socket, host as never, SILENCE_MS);
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
  return { client, events, heard: () => text, server: () => accepted, happens };
}

const SERVED = `served /run ${BODY}`;

async function send({ client }: Lane, ...parts: string[]): Promise<void> {
  for (const part of parts) {
    client.write(part);
    await sleep(10);
  }
}

describe('the lane serves', () => {
  test('one request after another', async () => {
    const lane = await openLane();
    await send(lane, RUN, RUN);
    expect(lane.heard()).toBe('[/run 1][/run 2]');
    expect(lane.events).toEqual([SERVED, SERVED]);
  });

  test('a body that comes after its head, in three parts', async () => {
    const lane = await openLane();
    await send(lane, HEAD, BODY.slice(0, 2), BODY.slice(2, 4), BODY.slice(4));
    expect(lane.events).toEqual([SERVED]);
  });

  test('what came while it was busy, when it is done', async () => {
    const lane = await openLane((count) => (count === 1 ? 60 : 0));
    await send(lane, RUN, HEAD, BODY);
    expect(lane.events).toEqual([SERVED]);
    await sleep(60);
    expect(lane.events).toEqual([SERVED, SERVED]);
    expect(lane.heard()).toBe('[/run 1][/run 2]');
  });

  test('a client that is silent between two requests', async () => {
    const lane = await openLane();
    await send(lane, RUN);
    await sleep(2 * SILENCE_MS);
    await send(lane, RUN);
    expect(lane.events).toEqual([SERVED, SERVED]);
  });

  test('one that closes its sending side, and the connection ends', async () => {
    const lane = await openLane(() => 30);
    lane.client.end(RUN);
    await once(lane.client, 'end');
    expect(lane.heard()).toBe('[/run 1]');
  });
});

describe('Node gets', () => {
  test('what is not plain, from its first byte, and all that follows', async () => {
    const lane = await openLane();
    await send(lane, RUN, ODD, RUN);
    const odd = ODD.replaceAll('\r\n', '|');
    const run = RUN.replaceAll('\r\n', '|');
    expect(lane.events).toEqual([SERVED, 'handed over', `node ${odd}`, `node ${odd}${run}`]);
  });

  test('two requests in one read', async () => {
    const lane = await openLane();
    await send(lane, RUN + ODD);
    expect(lane.events).toEqual(['handed over', `node ${(RUN + ODD).replaceAll('\r\n', '|')}`]);
  });

  test('a head that is cut off, and its rest', async () => {
    const lane = await openLane();
    await send(lane, 'GET /file HT', 'TP/1.1\r\n');
    expect(lane.events).toEqual(['handed over', 'node GET /file HT', 'node GET /file HTTP/1.1|']);
  });

  test('the end', async () => {
    const lane = await openLane();
    await send(lane, ODD);
    lane.client.end();
    await lane.happens('node end');
  });

  test('who is silent from the beginning', async () => {
    const lane = await openLane();
    await lane.happens('handed over');
    await send(lane, RUN);
    expect(lane.events).toContain(`node ${RUN.replaceAll('\r\n', '|')}`);
  });

  test('a head whose body does not come', async () => {
    const lane = await openLane();
    await send(lane, RUN, HEAD);
    await lane.happens(`node ${HEAD.replaceAll('\r\n', '|')}`);
  });

  test('a body in many parts', async () => {
    const lane = await openLane();
    await send(lane, HEAD, ...BODY);
    expect(lane.events[0]).toBe('handed over');
    await lane.happens(`node ${RUN.replaceAll('\r\n', '|')}`);
  });

  test('what came while the lane was busy and is not plain, after the answer', async () => {
    const lane = await openLane(() => 40);
    await send(lane, RUN, ODD);
    await lane.happens(`node ${ODD.replaceAll('\r\n', '|')}`);
    await expect.poll(lane.heard).toBe('[/run 1]');
    expect(lane.events.slice(0, 2)).toEqual([SERVED, 'handed over']);
  });
});

describe('ends', () => {
  test('a request whose client says no more gets what Node says', async () => {
    const lane = await openLane();
    lane.client.end(HEAD);
    await once(lane.client, 'end');
    expect(lane.heard()).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  test('one that is not plain behind one that is, and no more', async () => {
    const lane = await openLane(() => 40);
    await send(lane, RUN);
    lane.client.end(ODD);
    await once(lane.client, 'end');
    expect(lane.heard()).toBe('[/run 1]HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });

  test('a silent client that leaves', async () => {
    const lane = await openLane();
    lane.client.end();
    await lane.happens('closed');
    expect(lane.heard()).toBe('');
  });

  test('a client that leaves is not forgotten before its run is over', async () => {
    const lane = await openLane(() => 100);
    await send(lane, RUN);
    lane.client.resetAndDestroy();
    await sleep(40);
    expect(lane.events).toEqual([SERVED]);
    await lane.happens('closed');
  });

  test('at shutdown, after the answer', async () => {
    const lane = await openLane(
      () => 30,
      () => true,
    );
    await send(lane, RUN);
    await once(lane.client, 'end');
    expect(lane.heard()).toBe('[/run 1]');
  });
});

test.each([
  ['in large pieces', 400, PLAIN_BYTES_MAX],
  ['byte by byte', 200, 1],
])('who sends on and on meanwhile is not read any further, %s', async (_, count, bytes) => {
  const lane = await openLane(() => 400);
  await send(lane, RUN);
  let read = 0;
  lane.server().on('data', () => (read += 1));
  for (let sent = 0; sent < count; sent += 1) {
    lane.client.write(Buffer.alloc(bytes, 'x'));
    await new Promise(setImmediate);
  }
  await sleep(100);
  expect(lane.server().isPaused()).toBe(true);
  expect(read).toBeLessThan(70);
  await lane.happens('handed over');
  expect(lane.server().isPaused()).toBe(false);
});
