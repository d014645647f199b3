// Brokers that refuse the login of those that were connected, until their operator has mended that.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterEngine, startWorker } from '@sbx/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCredentials } from './credentials.js';
import { Nats } from './nats.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-test-logins-'));
const config = join(folder, 'nats.conf');
const REFUSE = 'authorization { users: [{ user: "another", password: "p" }] }\n';
let nats: Nats;

beforeAll(async () => {
  writeFileSync(config, '');
  nats = await Nats.start(['-c', config]);
}, 120_000);

afterAll(async () => {
  await nats.stop();
  rmSync(folder, { recursive: true });
});

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

test('a worker whose login is refused says so, waits, and works on when it is taken again', async () => {
  const logged: string[] = [];
  const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { debug() {}, info: log, warn: log, error() {} };
  await using worker = await startWorker({ servers: nats.url, slots: 2, languages: [], logger });
  await using engine = await ClusterEngine.open({ servers: nats.url, deadlineMs: 40_000 });
  writeFileSync(config, REFUSE);
  nats.reload();
  // Several times: the library gives up after the second in a row unless it is told otherwise.
  const tries = () => nats.log().split('authentication error').length - 1;
  await expect.poll(tries, { timeout: 15_000 }).toBeGreaterThan(6);
  expect(worker.notReadyReason).toBe('The broker refuses its login: Authorization Violation.');
  expect(logged.filter((line) => line.includes('Authorization Violation'))).toHaveLength(1);
  expect(worker.metrics()).toContain('sbx_worker_login_refused 1\n');
  expect(engine.metrics()).toContain('sbx_cluster_login_refused 1\n');
  const before = cpuTimeMs();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect(cpuTimeMs() - before).toBeLessThan(1000);
  const sent = engine.run('echo', ['through']);
  writeFileSync(config, '');
  nats.reload();
  expect((await sent).stdout.text()).toBe('through\n');
  expect([worker.notReadyReason, worker.isReady]).toEqual([null, true]);
  expect(logged.at(-1)).toContain('takes the login of this worker again');
  expect(worker.metrics()).toContain('sbx_worker_login_refused 0\n');
}, 60_000);

test('credentials that are written anew are those of the next login; what is no such file is named', async () => {
  const credentials = join(folder, 'own.creds');
  const take = (key: string) => writeFileSync(config, `authorization { users: [{ nkey: ${key} }] }\n`);
  writeFileSync(credentials, 'half a file');
  const options = { servers: nats.url, credentials };
  const opening = ClusterEngine.open(options);
  await expect(opening).rejects.toMatchObject({ field: 'options.credentials', rule: 'format' });
  take(writeCredentials(credentials));
  nats.reload();
  await using worker = await startWorker({ ...options, slots: 2, languages: [] });
  await using engine = await ClusterEngine.open({ ...options, deadlineMs: 40_000 });
  const next = join(folder, 'next.creds');
  take(writeCredentials(next));
  nats.reload();
  await expect.poll(() => worker.notReadyReason, { timeout: 15_000 }).toContain('refuses its login');
  rmSync(credentials); // those that it had are tried meanwhile
  const tries = () => nats.log().split('authentication error').length - 1;
  const before = tries();
  await expect.poll(tries, { timeout: 15_000 }).toBeGreaterThan(before + 3);
  renameSync(next, credentials);
  expect((await engine.run('echo', ['through'])).stdout.text()).toBe('through\n');
  await expect.poll(() => worker.isReady).toBe(true);
}, 60_000);
