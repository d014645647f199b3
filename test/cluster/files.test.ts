/** The object store when what a job needs of it is gone, or was never whole. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterEngine, startWorker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../tidy/sources.js';
import { useNats } from './nats.js';

const natsRequire = createRequire(join(root, 'packages/cluster/package.json'));
const { connect, headers, nanos } = natsRequire('@nats-io/transport-node');
const { jetstream } = natsRequire('@nats-io/jetstream');
const { Objm } = natsRequire('@nats-io/obj');

const FILE_MS = 4000;
const nats = useNats();
let local: Engine;

beforeAll(async () => {
  local = await Engine.open({ parallelism: 1, ceilings: { wallTimeMs: 60_000 } });
  const connection = await connect({ servers: nats.url });
  await new Objm(jetstream(connection)).create('sbx-files', { ttl: nanos(FILE_MS) });
  await connection.close();
});

afterAll(() => local.close());

const options = () => ({ servers: nats.url, engine: local, slots: 1, languages: [], cacheBytes: 0 });

test('a file that is used again and again is there when a worker without it gets the job', async () => {
  await using _worker = await startWorker(options());
  await using engine = await ClusterEngine.open({ servers: nats.url });
  const stdin = { bytes: Buffer.alloc(2 ** 20, 'abc') };
  for (const endsAt = performance.now() + 2 * FILE_MS; performance.now() < endsAt; ) {
    const { stdout } = await engine.run('/usr/bin/wc', ['-c'], { stdin });
    expect(stdout.text()).toBe('1048576\n');
    await sleep(500);
  }
});

test('a file of which nothing comes fails its job, and the place is free again', async () => {
  await using _worker = await startWorker(options());
  await using engine = await ClusterEngine.open({ servers: nats.url });
  const bytes = Buffer.alloc(2 ** 20, 'xyz');
  const connection = await connect({ servers: nats.url });
  const name = createHash('sha256').update(bytes).digest('hex');
  const entry = { nuid: 'none', size: bytes.byteLength, chunkBytes: 2 ** 18 };
  const mtime = new Date().toISOString();
  const own = headers(); // as of a submitter whose chunks were lost
  own.set('Sbx-Own', '1');
  const place = `$O.sbx-files.M.default.${name}`;
  connection.publish(place, JSON.stringify({ ...entry, mtime }), { headers: own });
  await connection.flush();
  await connection.close();

  const failed = await engine.run('/bin/cat', [], { stdin: { bytes } }).catch((error) => error);
  expect(failed).toMatchObject({ code: 'SBX_INTERNAL', retryable: true });
  expect((await engine.run('/bin/true')).status).toBe('ok');
});

test('a job that brings more than its worker takes is refused by name, before anything is fetched', async () => {
  await using worker = await startWorker({ ...options(), inputBytesMax: 2 ** 20 });
  await using engine = await ClusterEngine.open({ servers: nats.url });
  const files = (count: number) =>
    Object.fromEntries(['a', 'b'].map((name) => [name, { bytes: Buffer.alloc(count, name) }]));
  const refused = await engine.run('/bin/true', [], { files: files(2 ** 19 + 1) }).catch((error) => error);
  expect(refused).toMatchObject({
    name: 'InvalidOptionsError',
    field: 'options.files["b"]',
    rule: 'ceiling',
    got: '1048578 bytes',
  });
  expect(refused.message).toContain('must be at most 1048576 bytes on this worker');
  expect(worker.describe().cache.fetches).toBe(0);
  expect((await engine.run('/bin/cat', ['a', 'b'], { files: files(2 ** 19) })).stdout.totalBytes).toBe(
    2 ** 20,
  );
});
