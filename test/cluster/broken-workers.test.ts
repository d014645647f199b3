// Workers that are there and can carry out no job: by a fault of theirs nobody gets an error or a verdict.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '@sbx/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { descendants } from '../helpers/proc.mjs';
import { Nats } from './nats.js';
import { openEngine, startWorkerProcess, type TestNode } from './nodes.js';

let nats: Nats;
let folder: string;
let nodes: TestNode[] = [];

beforeEach(async () => {
  nats = await Nats.start();
  folder = await mkdtemp(join(tmpdir(), 'sbx-broken-workers-'));
}, 120_000);

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  nodes = [];
  await nats.stop();
  await rm(folder, { recursive: true });
});

async function addWorker(): Promise<TestNode> {
  const node = await startWorkerProcess({ servers: nats.url, slots: 2 });
  nodes.push(node);
  return node;
}

/** The process of a worker that makes its sandboxes. */
function helperOf({ child }: TestNode): number {
  return descendants(child.pid).find(({ name }) => name === 'sbx-zygote')!.pid;
}

test('a job whose sandbox is lost with the helper is done again, by the only worker', async () => {
  const worker = await addWorker();
  await using engine = await openEngine({ servers: nats.url });
  const ticket = await engine.submit({
    id: 'a',
    request: { file: 'sh', args: ['-c', 'sleep 1; echo done'] },
  });
  await expect.poll(() => ticket.state).toBe('leased');
  process.kill(helperOf(worker), 'SIGKILL');
  expect((await ticket.result).stdout.text()).toBe('done\n');
  expect(engine.secondAttempts).toBe(1);
});

test('with one attempt its error comes', async () => {
  const worker = await addWorker();
  await using engine = await openEngine({ servers: nats.url, maxAttempts: 1 });
  const ticket = await engine.submit({ id: 'a', request: { file: 'sleep', args: ['20'] } });
  await expect.poll(() => ticket.state).toBe('leased');
  process.kill(helperOf(worker), 'SIGKILL');
  await expect(ticket.result).rejects.toMatchObject({ code: 'SBX_SANDBOX_LOST', retryable: true });
});

test('a worker that can keep no files gets few of the jobs that need one, and another does all of them', async () => {
  await using broken = await startWorker({ servers: nats.url, slots: 2, languages: [], cacheFolder: folder });
  const [cache] = readdirSync(folder);
  rmSync(join(folder, cache!), { recursive: true });
  writeFileSync(join(folder, cache!), ''); // as a full disk: nothing can be written there
  await addWorker();
  await using engine = await openEngine({ servers: nats.url });
  const count = 40;
  const reasons = new Set<string | null>();
  for (let index = 0; index < count; index += 1) {
    const bytes = Buffer.alloc(200_000, `${index} `);
    const result = await engine.run('md5sum', [], { stdin: { bytes } });
    expect(result.status).toBe('ok');
    reasons.add(broken.notReadyReason);
  }
  expect(engine.secondAttempts).toBeGreaterThan(1);
  expect(engine.secondAttempts).toBeLessThan(count / 4);
  expect(broken.metrics()).toContain(`sbx_worker_handed_back_total ${engine.secondAttempts}\n`);
  expect([...reasons].filter((reason) => reason?.includes('last jobs'))).toHaveLength(1);
});
