/** Tenants in accounts of their own, as docs/cluster.md configures them: what they need, and attacks. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterEngine, clusterStatus, startWorker, type Worker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { GojudgeClient } from '@sbx/gojudge-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, said, startSbx } from '../cli/sbx.js';
import { until } from '../helpers/wait.js';
import { root } from '../tidy/sources.js';
import { Nats } from './nats.js';
import { testTenantNeeds } from './tenant-needs.js';

const natsRequire = createRequire(join(root, 'packages/cluster/package.json'));
const { connect, headers } = natsRequire('@nats-io/transport-node');

/** As it stands on the page, for two tenants, whose passwords are their names. */
function configuration(): string {
  const page = readFileSync(join(root, 'docs/cluster.md'), 'utf8');
  const [, block] = /^# accounts\n(accounts \{\n.*?^\})/ms.exec(page)!;
  const both = (lines: string) => lines + lines.replaceAll('acme', 'globex').replaceAll('ACME', 'GLOBEX');
  return block!
    .replace(/^ {2}ACME \{.*?^ {2}\}\n/ms, both)
    .replaceAll(/^ {6}\{ .*(acme|account: ACME).*\}\n/gm, (line) =>
      line.includes('CLUSTER') ? line : both(line),
    )
    .replaceAll(/^( {6}\{ (?!.*(?:acme|globex)).*)\[ACME\]/gm, '$1[ACME, GLOBEX]')
    .replaceAll(/\$(\w+)_PASSWORD/g, (_, name: string) => name.toLowerCase());
}

interface Message {
  subject: string;
  string(): string;
}
type Take = (error: unknown, message: Message) => void;

const folder = mkdtempSync(join(tmpdir(), 'sbx-test-accounts-'));
let nats: Nats;
let local: Engine;
let worker: Worker;
let acme: ClusterEngine;

const addressOf = (user: string) => nats.url.replace('//', `//${user}:${user}@`);
const openAs = (tenant: string, options: object = {}) =>
  ClusterEngine.open({ servers: addressOf(tenant), tenant, jetstreamDomain: 'cluster', ...options });
const connectAs = (user: string) => connect({ servers: nats.url, user, pass: user });

beforeAll(async () => {
  const file = join(folder, 'nats.conf');
  writeFileSync(file, configuration());
  nats = await Nats.start(['-c', file]);
  local = await Engine.open({ parallelism: 4, ceilings: { wallTimeMs: 60_000 } });
  const servers = addressOf('cluster');
  worker = await startWorker({ servers, engine: local, slots: 4, languages: [], leaseMs: 1000 });
  acme = await openAs('acme', { orphanGraceMs: 1000 });
}, 120_000);

afterAll(async () => {
  await acme?.close();
  await worker?.close();
  await local?.close();
  await nats?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a tenant in an account of its own', () => {
  testTenantNeeds(() => ({ engine: acme, worker }));

  test('is heard by the worker when it asks whether the submitter lives', async () => {
    expect((await acme.run('/bin/sleep', ['4'])).status).toBe('ok'); // four times the grace
  });

  test('finds the record of a job that another submitter of it sent', async () => {
    const job = {
      id: 'once',
      request: { file: '/bin/sh', args: ['-c', 'cat /proc/sys/kernel/random/uuid'] },
    };
    const first = await (await acme.submit(job)).result;
    await using other = await openAs('acme');
    const second = await (await other.submit(job)).result;
    expect(second.stdout.text()).toBe(first.stdout.text());
  });

  test('sees workers come and go', async () => {
    const servers = addressOf('cluster');
    const second = await startWorker({ servers, engine: local, slots: 1, languages: [] });
    await until(20_000, 'it is seen', () => acme.workers().length === 2);
    await second.close();
    await until(10_000, 'it is seen no more', () => acme.workers().length === 1);
  });

  test('an operator looks at all of them', async () => {
    const status = await clusterStatus({ servers: addressOf('cluster') });
    expect(status.workers).toHaveLength(1);
  });

  test('has servers of its own, by the commands of the page', async () => {
    const address = ['--cluster', addressOf('acme'), '--jetstream-domain', 'cluster', '--tenant', 'acme'];
    const server = startSbx(['serve', ...address, '--port', '0', '--languages', 'shell', '--no-console']);
    const [, url] = await said(server, /"urls":\["(http[^"]+)"/);
    await using gojudge = new GojudgeClient({ url: url! });
    const answer = await gojudge.run({ args: ['/bin/echo', 'there'] });
    expect(answer).toMatchObject({ status: 'Accepted', stdout: 'there\n' });
    server.kill('SIGTERM');
    expect((await ended(server)).code).toBe(0);
  }, 60_000);

  test('is told what is missing where it says no domain', async () => {
    const opening = ClusterEngine.open({ servers: addressOf('acme'), tenant: 'acme' });
    await expect(opening).rejects.toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE' });
    await expect(opening).rejects.toThrow('jetstreamDomain');
  });
});

/** All that is told in the account of the cluster. */
async function overhear(): Promise<{ heard: Message[]; flush(): Promise<void>; close(): Promise<void> }> {
  const connection = await connectAs('cluster');
  const heard: Message[] = [];
  const callback: Take = (_, message) => void heard.push(message);
  connection.subscribe('>', { callback });
  await connection.flush();
  return { heard, flush: () => connection.flush(), close: () => connection.close() };
}

/** Where a tenant must not come, by any way. */
const OTHERS = [
  'sbx.jobs.acme',
  'sbx.cancel.acme',
  'sbx.notice.acme.x',
  'sbx.ended.acme.x',
  'sbx.session.acme.x.up',
  'sbx.session.acme.x.down',
  '$KV.sbx-records.acme.x',
  '$KV.sbx-workers.x',
  '$O.sbx-files.M.acme.x',
  '$O.sbx-files.C.acme.x.0',
  '$JS.API.STREAM.CREATE.all',
  '$JS.API.STREAM.DELETE.sbx-jobs',
  '$JS.API.STREAM.PURGE.KV_sbx-records',
  '$JS.API.STREAM.INFO.sbx-jobs',
  '$JS.API.STREAM.MSG.GET.sbx-jobs',
  '$JS.API.CONSUMER.CREATE.sbx-jobs.x.sbx.jobs.acme',
  '$JS.API.CONSUMER.CREATE.KV_sbx-workers.x.$KV.sbx-workers.>',
  '$JS.API.CONSUMER.DELETE.sbx-jobs.workers',
  '$JS.API.CONSUMER.MSG.NEXT.sbx-jobs.workers',
  '$JS.API.DIRECT.GET.KV_sbx-records',
  '$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.acme.x',
  '$JS.API.DIRECT.GET.OBJ_sbx-files',
  '$JS.API.DIRECT.GET.OBJ_sbx-files.$O.sbx-files.M.acme.x',
];
const inDomain = (subject: string) => subject.replace('$JS.API', '$JS.cluster.API');
/** In what it sends. */
const MARK = 'sent by globex';

describe('a tenant that attacks another', () => {
  test.each(OTHERS)('does not come to %s, nor by an answer', async (subject) => {
    const cluster = await overhear();
    const globex = await connectAs('globex');
    await globex.request('$KV.sbx-records.globex.x', MARK);
    const seen = (message: Message) => message.string().includes(MARK);
    await until(5000, 'what it may send arrives', () => cluster.heard.some(seen));
    cluster.heard.length = 0;
    for (const to of new Set([subject, inDomain(subject)])) {
      globex.publish(to, MARK);
      const own = '$JS.cluster.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.globex.x';
      globex.publish(own, '', { reply: to });
      globex.publish(own, '{"no_hdr":true}', { reply: to });
      globex.publish('sbx.jobs.globex', MARK, { reply: to });
    }
    // After all of that, on the same way.
    await globex.request('$KV.sbx-records.globex.x', MARK);
    await cluster.flush();
    const where = new Set(
      cluster.heard.filter(seen).map((message) => message.subject.replace(/^_R_.*/, '_R_')),
    );
    // Jobs that are none are taken out of the queue: workers get them in their inboxes.
    const allowed = /^(\$KV\.sbx-records\.globex\.x|sbx\.ended\.globex\.x|sbx\.jobs\.globex|_R_|_INBOX\..*)$/;
    expect([...where].filter((each) => !allowed.test(each))).toEqual([]);
    expect(where).toContain('_R_');
    await globex.close();
    await cluster.close();
  });

  test('makes no stream that mirrors others, and deletes none', async () => {
    const globex = await connectAs('globex');
    const config = { name: 'all', mirror: { name: 'KV_sbx-records' } };
    await globex.request('$KV.sbx-records.globex.stream', JSON.stringify(config));
    const own = '$JS.cluster.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.globex.stream';
    for (const api of ['$JS.API', '$JS.cluster.API']) {
      globex.publish(own, '', { reply: `${api}.STREAM.CREATE.all` });
      globex.publish(own, '', { reply: `${api}.STREAM.DELETE.KV_sbx-records` });
    }
    await globex.request('$KV.sbx-records.globex.x', 'after them');
    await globex.close();
    const cluster = await connectAs('cluster');
    const { streams } = (await cluster.request('$JS.API.STREAM.NAMES')).json();
    expect(streams.sort()).toEqual(['KV_sbx-records', 'KV_sbx-workers', 'OBJ_sbx-files', 'sbx-jobs']);
    await cluster.close();
  });

  test('hears nothing of others', async () => {
    const globex = await connectAs('globex');
    const heard: Message[] = [];
    const callback: Take = (_, message) => void heard.push(message);
    globex.subscribe('>', { callback });
    await globex.flush();
    expect((await acme.run('/bin/echo', ['secret of acme'])).status).toBe('ok');
    await using engine = await openAs('globex');
    await engine.run('/bin/echo', ['own word']);
    await globex.flush();
    expect(heard.some((message) => message.string().includes('own word'))).toBe(true);
    for (const { subject } of heard) expect(subject).not.toMatch(/acme/);
    for (const message of heard) expect(message.string()).not.toContain('secret of acme');
    await globex.close();
  });

  test.each(['next_by_subj', 'multi_last'])('reads nothing but announcements by %s', async (kind) => {
    const globex = await connectAs('globex');
    const answers: string[] = [];
    globex.subscribe('answers', { callback: ((_, message) => void answers.push(message.string())) as Take });
    await acme.run('/bin/echo', ['secret of acme']);
    await globex.request('$KV.sbx-records.globex.x', 'own');
    const all =
      kind === 'multi_last' ? { multi_last: ['>'], batch: 100 } : { seq: 1, next_by_subj: '>', batch: 100 };
    for (const of of ['KV_sbx-workers', 'KV_sbx-records.$KV.sbx-records.globex.x']) {
      globex.publish(`$JS.cluster.API.DIRECT.GET.${of}`, JSON.stringify(all), { reply: 'answers' });
    }
    await until(5000, 'it has an answer', () => answers.length > 0);
    await globex.request('$KV.sbx-records.globex.x', 'own');
    for (const answer of answers) expect(answer).not.toContain('secret of acme');
    await globex.close();
  });

  test('cannot clear a bucket by a message of its own', async () => {
    const globex = await connectAs('globex');
    const rollup = headers();
    rollup.set('Nats-Rollup', 'all');
    const answer = await globex.request('$KV.sbx-records.globex.x', 'x', { headers: rollup });
    expect(answer.json().error.description).toContain('rollup not permitted');
    await globex.close();
  });
});
