// Clients that mean harm: memory here stays bounded, others are served, and nothing is left of what they
// started.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { descendants } from '../helpers/proc.mjs';
import { sleep, until } from '../helpers/wait.js';
import { execute, Talk, TS, useServer } from './server.js';

const MB = 2 ** 20;
const GRACE_MS = 100;
const served = useServer({
  parallelism: 4,
  queueLength: 16,
  orphanGraceMs: GRACE_MS,
  stallMs: 2000,
  connectionCountMax: 100,
});
let bystander: Talk;
beforeAll(async () => {
  bystander = await Talk.open(served.url);
});
afterAll(async () => {
  await bystander.close();
});

const placesAreFree = () =>
  until(5000, 'every place is free', () => {
    const { active, waiting } = served.server.load();
    return active === 0 && waiting === 0;
  });

/** Whatever went on: the server serves others, and nothing of it is left after the grace. */
async function expectUnharmed(): Promise<void> {
  await placesAreFree();
  expect((await bystander.run({ code: 'echo unharmed' })).stdout).toBe('unharmed\n');
  await until(1000, 'no program is left', () =>
    descendants().every(({ name }) => name.startsWith('sbx-') || name === 'node' || name === 'esbuild'),
  );
}

/** A WebSocket with nothing behind it that helps: bytes go out as they are. */
function rawSocket(): Promise<Socket> {
  const { port } = new URL(served.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.once('error', reject);
    socket.write(
      'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    socket.once('data', () => resolve(socket));
  });
}

/** A masked frame; the mask is zero, so the payload is itself. */
function frame(opcode: number, payload: Buffer, { fin = true, claim = payload.length } = {}): Buffer {
  const head = Buffer.alloc(14);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(claim), 2);
  return Buffer.concat([head, payload]);
}

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

async function heapGrowth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  await work();
  return process.memoryUsage().rss - before;
}

describe('disconnects in every state leave nothing', () => {
  const slow = { code: 'echo x; sleep 7335' };
  test.each<[string, (talk: Talk) => Promise<unknown>]>([
    ['right after the execute', async (talk) => talk.start(slow)],
    ['after the ack', (talk) => talk.until(({ type }) => type === 'ack')],
    ['while running', (talk) => talk.until(({ status }) => status === 'running')],
    ['after output', (talk) => talk.until(({ type }) => type === 'stdout')],
    ['right after a cancel', async (talk) => talk.cancel(talk.heard[0]?.id ?? 'x')],
  ])('%s', async (_, moment) => {
    for (let round = 0; round < 4; round += 1) {
      const talk = await Talk.open(served.url);
      for (let count = 0; count < 8; count += 1) talk.start(slow);
      await moment(talk);
      talk.socket.terminate();
      await placesAreFree();
    }
    await expectUnharmed();
  });

  test('in the middle of a frame, of a fragmented message, of the upgrade', async () => {
    const { port } = new URL(served.url);
    for (let round = 0; round < 20; round += 1) {
      const socket = await rawSocket();
      socket.write(frame(1, Buffer.from('{"v":1'), { fin: round % 2 === 0, claim: 1000 }));
      await sleep(2);
      socket.destroy();
      const early = connect(Number(port), '127.0.0.1', () => early.write('GET /ws HTTP/1.1\r\nUpg'));
      early.on('error', () => undefined);
      await sleep(2);
      early.destroy();
    }
    await expectUnharmed();
  });

  test('while a flood is on its way', async () => {
    for (let round = 0; round < 5; round += 1) {
      const talk = await Talk.open(served.url);
      for (let count = 0; count < 4; count += 1)
        talk.start({ code: 'yes', limits: { max_output_bytes: 64 * MB } });
      await talk.until(({ type }) => type === 'stdout');
      talk.socket.terminate();
    }
    await expectUnharmed();
  });
});

describe('floods', () => {
  test('of pings by a peer that reads nothing: held back, then dropped', async () => {
    const socket = await rawSocket();
    socket.pause();
    const ping = frame(1, Buffer.from(JSON.stringify({ v: 1, type: 'ping', ts: TS, id: 'p'.repeat(200) })));
    const many = Buffer.concat(Array.from({ length: 1000 }, () => ping));
    const growth = await heapGrowth(async () => {
      const gone = closed(socket);
      let isGone = false;
      void gone.then(() => {
        isGone = true;
      });
      for (let count = 0; count < 300 && !isGone; count += 1) {
        if (!socket.write(many))
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone, sleep(3000)]);
      }
      await until(20_000, 'the peer is dropped', () => {
        socket.resume(); // sees the end only when it reads
        return isGone;
      });
    });
    expect(growth).toBeLessThan(100 * MB);
    await expectUnharmed();
  }, 60_000);

  test('of messages that are refused', async () => {
    const talk = await Talk.open(served.url);
    for (let count = 0; count < 20_000; count += 1) talk.send('{"v":1,"type":"nope"}');
    talk.ping('after');
    await talk.until(({ id }) => id === 'after');
    expect(talk.heard.length).toBe(20_001);
    await talk.close();
    await expectUnharmed();
  });

  test('of executes: those beyond places and queue are refused, all others answered', async () => {
    const talk = await Talk.open(served.url);
    const ids = Array.from({ length: 1000 }, () => talk.start({ code: 'echo x' }));
    const fates = await Promise.all(ids.map((id) => talk.fate(id)));
    const counts = { completed: 0, refused: 0 };
    for (const { status, error } of fates) {
      if (status === 'completed') counts.completed += 1;
      else if (error?.code === 'SANDBOX_OVERLOADED') counts.refused += 1;
    }
    expect(counts.completed + counts.refused).toBe(1000);
    expect(counts.completed).toBeGreaterThanOrEqual(20);
    expect(counts.refused).toBeGreaterThan(0);
    await talk.close();
    await expectUnharmed();
  });

  test('of one id: one execution at a time, the others are told', async () => {
    const talk = await Talk.open(served.url);
    const message = execute({ id: 'same', code: 'echo once; sleep 60' });
    for (let count = 0; count < 500; count += 1) talk.send(message);
    talk.ping('all'); // messages are answered in their order
    await talk.until(({ id }) => id === 'all');
    await talk.until(({ id, type }) => id === 'same' && type === 'stdout');
    talk.cancel('same');
    await talk.until(({ id, type }) => id === 'same' && type === 'result');
    const own = talk.of('same');
    expect(own.filter(({ type }) => type === 'ack').length).toBe(1);
    expect(own.filter(({ code }) => code === 'INVALID_REQUEST').length).toBe(499);
    expect(own.filter(({ data }) => data === 'once\n').length).toBe(1);
    await talk.close();
  });

  test('a storm of cancels and restarts', async () => {
    const talk = await Talk.open(served.url);
    for (let round = 0; round < 100; round += 1) {
      const ids = Array.from({ length: 4 }, () =>
        talk.start({ code: 'yes', limits: { max_output_bytes: 64 * MB } }),
      );
      for (const id of ids) for (let count = 0; count < 5; count += 1) talk.cancel(id);
      if (round % 10 === 0) await Promise.all(ids.map((id) => talk.fate(id)));
    }
    talk.ping('storm');
    await talk.until(({ id }) => id === 'storm');
    const acked = talk.heard.filter(({ type }) => type === 'ack').map(({ id }) => id!);
    for (const id of acked) await talk.until((message) => message.id === id && message.type === 'result');
    await talk.close();
    await expectUnharmed();
  });
});

describe('frames', () => {
  test('that claim to be huge: refused before a byte of them is kept', async () => {
    const growth = await heapGrowth(async () => {
      for (let round = 0; round < 10; round += 1) {
        const socket = await rawSocket();
        socket.write(frame(1, Buffer.alloc(0), { claim: 2 ** 40 }));
        await closed(socket);
      }
    });
    expect(growth).toBeLessThan(30 * MB);
  });

  test('in endless fragments: refused at the limit', async () => {
    const socket = await rawSocket();
    const piece = frame(0, Buffer.alloc(64 * 1024, 'x'), { fin: false });
    socket.write(frame(1, Buffer.from('{'), { fin: false }));
    const growth = await heapGrowth(async () => {
      for (let count = 0; count < 400 && !socket.destroyed; count += 1) {
        socket.write(piece);
        await sleep(1);
      }
    });
    await closed(socket);
    expect(growth).toBeLessThan(60 * MB);
  });

  test('of tiny fragments without end: refused', async () => {
    const socket = await rawSocket();
    socket.write(frame(1, Buffer.from('{'), { fin: false }));
    const tiny = Buffer.concat(
      Array.from({ length: 1000 }, () => frame(0, Buffer.from('x'), { fin: false })),
    );
    for (let count = 0; count < 2000 && !socket.destroyed; count += 1) {
      socket.write(tiny);
      await sleep(1);
    }
    expect(socket.destroyed).toBe(true);
    await expectUnharmed();
  });

  test.each<[string, string]>([
    ['deep nesting', '['.repeat(8 * MB - 10)],
    ['deep nesting that is well formed', `${'['.repeat(4 * MB - 10)}${']'.repeat(4 * MB - 10)}`],
    ['a million keys', `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
    [
      'a million variables',
      JSON.stringify(execute({})).replace(
        '"code"',
        `"env":{${Array.from({ length: 400_000 }, (_, at) => `"k${at}":1`).join(',')}},"code"`,
      ),
    ],
    ['long numbers', `{"v":${'1'.repeat(8 * MB - 100)}}`],
  ])('%s: an error, and little memory', async (_, text) => {
    const talk = await Talk.open(served.url);
    const growth = await heapGrowth(async () => {
      talk.send(text);
      expect((await talk.next()).code).toBe('INVALID_REQUEST');
    });
    expect(growth).toBeLessThan(300 * MB);
    await talk.close();
    await expectUnharmed();
  });
});

test('half-open connections: upgrades that never end', async () => {
  const { port } = new URL(served.url);
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n');
    return socket;
  });
  await sleep(100);
  await expectUnharmed();
  for (const socket of sockets) socket.destroy();
});

test('a program that kills, forks and writes without end is stopped by its own limits', async () => {
  const codes = [
    ':(){ :|:& };:; wait',
    'kill -9 -1',
    'exec 1<&- 2<&-; sleep 7336',
    'while :; do (yes & ) ; done',
  ];
  for (const code of codes) {
    const { status } = await bystander.run({ code, limits: { timeout_ms: 700 } });
    expect(['failed', 'timeout', 'completed', 'oom']).toContain(status);
  }
  await expectUnharmed();
});
