// Clients that know nothing of a cluster: the go-judge corpus and the rules of Fathom, against servers before
// two workers.
import { ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { createFathomServer } from '@sbx/fathom-server';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sbx } from '../cli/sbx.js';
import { readCorpus, runCase, transportsOf } from '../conformance/gojudge/run.mjs';
import { useNats } from './nats.js';

/**
 * Cases that a cluster does not pass, as `file: name` over all transports; each with what would be needed.
 * One that passes after all is a failure too.
 */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  "a worker's engine has the user, umask, host name and signals of an engine, not those of go-judge": [
    'copyin: modes',
    'descriptors: content of 200 000 bytes',
    'descriptors: a collector is there to see',
    'enforcement: SIGTERM to itself is ignored',
    'enforcement: SIGINT and SIGQUIT are ignored',
    'files: work folder and host name',
    'sanity: Signal Check',
    'stream: Ctrl-C is ignored from the start',
    'surroundings: id',
    'surroundings: umask and work folder',
    'surroundings: ignored signals',
    'surroundings: signals to pid 1',
    'world: the user is 0 without its powers',
    'world: the umask is 0',
    'world: host and domain name',
    'world: a signal to pid 1 does nothing',
  ],
  'a worker has ceilings': ['enforcement: huge cpuLimit', 'json: limits past 2^63 are clamped'],
  'a host file that is no regular one stays on its machine': ['descriptors: src on stdin'],
};
const otherwise = new Set(Object.values(OTHERWISE).flat());
/** `/stream` with several programs is refused: `spawnGroup` is of one machine. */
const GROUPS = ['groups', 'pipes'];
const ALONE = 'groups: pipeMapping of a single program is ignored';
const GROUP_CASES = [
  'stream: two programs',
  'stream: cancel ends every program',
  'stream: cancel of a group of which one program did not start',
  "terminal: a pipe in place of a terminal's output",
];

function isOtherwise(file: string, name: string, transport: string): boolean {
  const key = `${file}: ${name}`;
  if (otherwise.has(key)) return true;
  if (transport !== 'stream' || key === ALONE) return false;
  return GROUPS.includes(file) || GROUP_CASES.includes(key);
}

const nats = useNats();
const workers: Worker[] = [];
let engine: ClusterEngine;

beforeAll(async () => {
  const options = { servers: nats.url, slots: 4, languages: ['python', 'shell'] };
  for (let count = 0; count < 2; count += 1) workers.push(await startWorker(options));
  engine = await ClusterEngine.open({ servers: nats.url });
  await vi.waitUntil(() => engine.info().parallelism === 8, { timeout: 10_000 });
}, 120_000);

afterAll(async () => {
  await engine.close();
  await Promise.all(workers.map((worker) => worker.close()));
});

describe('the go-judge corpus', () => {
  const server = { url: '' };
  let judge: Awaited<ReturnType<typeof createGojudgeServer>>;
  const cases = readCorpus().flatMap((one) =>
    transportsOf(one).map((transport) => ({ ...one, one, transport })),
  );

  beforeAll(async () => {
    judge = await createGojudgeServer({ engine, host: '127.0.0.1', port: 0, srcPrefix: ['/'] });
    server.url = (await judge.listen()).urls[0]!;
  });
  afterAll(() => judge.close());

  test.each(cases)('$file over $transport: $name', async ({ one, transport }) => {
    const differences = await runCase(server, one, transport);
    if (isOtherwise(one.file, one.name, transport)) expect(differences).not.toEqual([]);
    else expect(differences).toEqual([]);
  });
});

test('every rule of Fathom', { timeout: 120_000 }, async () => {
  const server = await createFathomServer({ engine, port: 0, languages: ['python', 'shell'] });
  const { urls } = await server.listen();
  const { stdout } = await sbx(['conform', 'fathom', urls[0]!, '--json']);
  await server.close();
  const { rules } = JSON.parse(stdout) as { rules: { id: string; pass: boolean }[] };
  expect(rules.filter(({ pass }) => !pass)).toEqual([]);
  expect(rules.length).toBeGreaterThan(25);
});

test('both workers had some of it', () => {
  for (const worker of workers) expect(worker.describe().totals.accepted).toBeGreaterThan(10);
});
