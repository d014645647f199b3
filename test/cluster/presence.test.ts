// How a submitter goes on knowing its workers when its connection is cut at the worst moment.
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../tidy/sources.js';
import { useNats } from './nats.js';
import { openEngine, startWorkerProcess } from './nodes.js';

const nats = useNats();
const require = createRequire(join(root, 'packages/cluster/package.json'));
/** An announcement counts for 15 s. */
const WATCHED_SECONDS = 25;
/** Together more than the broker sends without word that it was taken. */
const ENTRIES = 8;
const ENTRY_BYTES = 500_000;

/** The way to the broker: of the first connection all is lost after some bytes, until it is cut. */
async function lossyWay(target: number): Promise<{ url: string; cut: () => void; close: () => void }> {
  const sockets = new Set<Socket>();
  let isLost = false;
  const server = createServer((client) => {
    const broker = connect(target, '127.0.0.1');
    const isFirst = sockets.size === 0;
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        broker.destroy();
      });
    }
    client.pipe(broker);
    let bytes = 0;
    broker.on('data', (data) => {
      bytes += data.length;
      if (isFirst && bytes > ENTRY_BYTES) isLost = true;
      if (!isFirst || !isLost) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    cut();
    server.close();
  };
  const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, cut, close };
}

async function fillBucket(): Promise<void> {
  const { connect: open } = require('@nats-io/transport-node');
  const { Kvm } = require('@nats-io/kv');
  const connection = await open({ servers: nats.url });
  const bucket = await new Kvm(connection).open('sbx-workers');
  for (let index = 0; index < ENTRIES; index += 1)
    await bucket.put(`none-${index}`, Buffer.alloc(ENTRY_BYTES));
  await connection.close();
}

test('a connection that is lost while announcements are on their way leaves no submitter without workers', async () => {
  const worker = await startWorkerProcess({ servers: nats.url, slots: 1 });
  const way = await lossyWay(Number(new URL(nats.url).port));
  await fillBucket();
  const opening = openEngine({ servers: way.url });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  way.cut();
  const engine = await opening;
  try {
    const seen: boolean[] = [];
    for (let second = 0; second < WATCHED_SECONDS; second += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      seen.push(engine.isReady);
    }
    expect(seen.slice(-5)).toEqual(Array(5).fill(true));
  } finally {
    await engine.close();
    way.close();
    await worker.kill();
  }
}, 60_000);
