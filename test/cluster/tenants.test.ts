/** Tenants of one broker that its permissions keep apart: with those of docs/cluster.md, word by word. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterDeniedError, ClusterEngine, clusterStatus, startWorker, type Worker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { root } from '../tidy/sources.js';
import { writeCredentials } from './credentials.js';
import { Nats } from './nats.js';
import { testTenantNeeds } from './tenant-needs.js';

const natsRequire = createRequire(join(root, 'packages/cluster/package.json'));
const { connect, credsAuthenticator, headers } = natsRequire('@nats-io/transport-node');
const page = readFileSync(join(root, 'docs/cluster.md'), 'utf8');

/** As it stands on the page, for that user. */
function permissionsOf(kind: string, name: string): string {
  const [, block] = new RegExp(`^# ${kind}\n(permissions: \\{\n.*?^\\})`, 'ms').exec(page)!;
  return block!.replaceAll(/\bacme\b|(?<=_INBOX_)acme/g, name);
}

const folder = mkdtempSync(join(tmpdir(), 'sbx-test-tenants-'));
const credentialsOf = (name: string) => join(folder, `${name}.creds`);
/** By name. */
const keys = new Map<string, string>();

/** A user of the server's configuration, with its credentials file; `without`: one permission. */
function user(name: string, permissions: string, without = 'nothing'): string {
  const key = writeCredentials(credentialsOf(name));
  keys.set(name, key);
  return `{ nkey: ${key}, ${permissions.replaceAll(`"${without}"`, '"nothing"')} }`;
}

/** Of a question for a message: newer servers leave all headers out of the answer then. */
const WITHOUT_HEADERS = '{"no_hdr":true}';

/** As they stand in a message, where the library would write none of that kind. */
const raw = (lines: string) => ({ headers: { encode: () => Buffer.from(`NATS/1.0\r\n${lines}`) } });
/** Of what is sent by who may: with these alone it counts. */
const OWN = `Sbx-Own: 1\r\nSbx-Body: ${'0'.repeat(64)}\r\n`;
const WHOLE = raw(`${OWN}\r\n`);
/** The broker takes the last two bytes for their end, and puts its own right behind the rest. */
const UNFINISHED = raw(`${OWN}X: abc`);
const UNREADABLE = raw(`${OWN}X: a\nb\r\n\r\n`);
const MANY = raw(`${Array.from({ length: 5000 }, (_, index) => `${index}:\r\n`).join('')}\r\n`);

let nats: Nats;
let local: Engine;
let worker: Worker;
let a: ClusterEngine;

const optionsOf = (name: string) => ({
  servers: nats.url,
  credentials: credentialsOf(name),
  inboxPrefix: `_INBOX_${name}`,
});
const openAs = (name: string, tenant = name) => ClusterEngine.open({ ...optionsOf(name), tenant });
const connectAs = (name: string) =>
  connect({
    servers: nats.url,
    authenticator: credsAuthenticator(readFileSync(credentialsOf(name))),
    inboxPrefix: `_INBOX_${name}`,
  });

beforeAll(async () => {
  const submitter = permissionsOf('submitter', 'c');
  const users = [
    user('root', 'permissions: { publish: ">", subscribe: ">" }'),
    user('maker', permissionsOf('maker', 'maker')),
    user('worker', permissionsOf('worker', 'worker')),
    user('status', permissionsOf('status', 'status')),
    user('a', permissionsOf('submitter', 'a')),
    user('b', permissionsOf('submitter', 'b')),
    ...['sbx.jobs.c', 'sbx.notice.c.*', 'sbx.ended.c.*', 'sbx.session.c.*.up', 'sbx.session.c.*.down'].map(
      (subject, index) => user(`c${index}`, submitter.replaceAll('_INBOX_c', `_INBOX_c${index}`), subject),
    ),
    user('d', permissionsOf('submitter', 'd'), '$JS.API.CONSUMER.INFO.sbx-jobs.workers'),
    user('w', permissionsOf('worker', 'w').replaceAll('_INBOX_worker', '_INBOX_w'), 'sbx.cancel.*'),
  ];
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `authorization { users: [\n${users.join('\n')}\n] }\n`);
  nats = await Nats.start(['-c', file]);
  local = await Engine.open({ parallelism: 4, ceilings: { wallTimeMs: 60_000 } });
  // Makes everything, and may not take jobs.
  const making = startWorker({ ...optionsOf('maker'), engine: local, languages: [] });
  await expect(making).rejects.toBeInstanceOf(ClusterDeniedError);
  worker = await startWorker({ ...optionsOf('worker'), engine: local, slots: 4, languages: [] });
  a = await openAs('a');
}, 120_000);

afterAll(async () => {
  await a?.close();
  await worker?.close();
  await local?.close();
  await nats?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('with the permissions of the page', () => {
  testTenantNeeds(() => ({ engine: a, worker }));

  test('an operator looks at all of them', async () => {
    const look = () => clusterStatus(optionsOf('status'));
    // A worker acknowledges its last job when that is over for everybody else.
    await until(5000, 'the last job is acknowledged', async () => (await look()).queue.running === 0);
    const status = await look();
    expect(status.workers).toHaveLength(1);
    expect(status.queue).toMatchObject({ waiting: 0, running: 0 });
  });

  test('does without what else it asks for', () => {
    const documented = ['a', 'worker', 'status'].map((name) => keys.get(name)!);
    const lines = nats
      .log()
      .split('\n')
      .filter((line) => documented.some((key) => line.includes(key)));
    const denied = lines.flatMap((line) => / Violation - Subject "([^"]+)"/.exec(line)?.[1] ?? []);
    expect([...new Set(denied)].sort()).toEqual([
      '$JS.API.STREAM.INFO.KV_sbx-records',
      '$JS.API.STREAM.INFO.KV_sbx-workers',
      '$JS.API.STREAM.INFO.OBJ_sbx-files',
      '$JS.API.STREAM.MSG.DELETE.sbx-jobs',
    ]);
  });
});

describe('another tenant', () => {
  const denied = (subject: string) => expect.objectContaining({ message: expect.stringContaining(subject) });

  test.each([
    '$JS.API.STREAM.MSG.GET.sbx-jobs',
    '$JS.API.STREAM.DELETE.sbx-jobs',
    '$JS.API.STREAM.PURGE.KV_sbx-records',
    '$JS.API.STREAM.INFO.KV_sbx-records',
    '$JS.API.CONSUMER.CREATE.sbx-jobs.x.sbx.jobs.a',
    '$JS.API.CONSUMER.CREATE.OBJ_sbx-files.x.$O.sbx-files.C.x',
    '$JS.API.STREAM.INFO.OBJ_sbx-files',
    '$JS.API.DIRECT.GET.OBJ_sbx-files',
    '$JS.API.DIRECT.GET.OBJ_sbx-files.$O.sbx-files.M.a.x',
    '$JS.API.DIRECT.GET.OBJ_sbx-files.$O.sbx-files.C.a.x.0',
    '$O.sbx-files.M.a.x',
    '$O.sbx-files.C.a.x.0',
    '$JS.API.CONSUMER.DELETE.sbx-jobs.workers',
    '$JS.API.CONSUMER.MSG.NEXT.sbx-jobs.workers',
    '$JS.API.DIRECT.GET.KV_sbx-records',
    '$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.a.x',
    '$KV.sbx-records.a.x',
    '$KV.sbx-workers.x',
    'sbx.jobs.a',
    'sbx.cancel.a',
    'sbx.notice.a.x',
    'sbx.session.a.x.down',
  ])('cannot publish to %s', async (subject) => {
    const b = await connectAs('b');
    await expect(b.request(subject, '{"seq":1}')).rejects.toEqual(denied(subject));
    await b.close();
  });

  test.each(['>', '_INBOX.>', '_INBOX_a.>', '_INBOX_worker.>', 'sbx.jobs.a', 'sbx.ended.a.*', '$KV.>'])(
    'cannot subscribe to %s',
    async (subject) => {
      const b = await connectAs('b');
      const error = await new Promise((resolve) => b.subscribe(subject, { callback: resolve }));
      expect(error).toEqual(denied(subject));
      await b.close();
    },
  );

  test('reads no record of others through a record of its own', async () => {
    const b = await connectAs('b');
    await b.request('$KV.sbx-records.b.mine', 'mine');
    const own = '$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.b.mine';
    const answer = await b.request(own, JSON.stringify({ last_by_subj: '$KV.sbx-records.a.sleeper' }));
    expect(answer.string()).toBe('');
    await b.close();
  });

  test('reads no file of others through one of its own', async () => {
    await a.run('/bin/true', [], { stdin: { bytes: Buffer.alloc(2 ** 20, 'of a') } });
    const b = await connectAs('b');
    await b.request('$O.sbx-files.C.b.mine.0', 'mine');
    const own = '$JS.API.DIRECT.GET.OBJ_sbx-files.$O.sbx-files.C.b.mine.0';
    for (const asked of [
      { seq: 1 },
      { seq: 1, next_by_subj: '$O.sbx-files.*.a.>' },
      { multi_last: ['$O.sbx-files.*.a.>'] },
      { batch: 10, seq: 1, next_by_subj: '>' },
    ]) {
      const answer = await b.request(own, JSON.stringify(asked));
      expect(answer.string()).toMatch(/^(mine)?$/);
    }
    await b.close();
  });

  test.each([
    ['', WHOLE],
    [' whose headers do not end', UNFINISHED],
  ])(
    'that sends an answer%s to the place of another’s file does not keep it from its jobs',
    async (how, own) => {
      const bytes = Buffer.alloc(2 ** 20, `known to b${how}`);
      const hash = createHash('sha256').update(bytes).digest('hex');
      const mtime = new Date().toISOString();
      const b = await connectAs('b');
      const entry = { nuid: 'none', size: bytes.byteLength, chunkBytes: 2 ** 18, mtime };
      await b.request('$O.sbx-files.M.b.mine', JSON.stringify(entry), own);
      const reply = `$O.sbx-files.M.a.${hash}`;
      b.publish('$JS.API.DIRECT.GET.OBJ_sbx-files.$O.sbx-files.M.b.mine', '', { reply });
      await b.flush();
      await b.close();
      const { stdout } = await a.run('/usr/bin/sha256sum', [], { stdin: { bytes } });
      expect(stdout.text()).toBe(`${hash}  -\n`);
    },
  );

  test('gets no file of others from a worker that has it', async () => {
    const bytes = Buffer.alloc(2 ** 20, 'of a and no other');
    const fetches = () => worker.describe().cache.fetches;
    await a.run('/bin/true', [], { stdin: { bytes } });
    const before = fetches();
    await using other = await openAs('b');
    await other.run('/bin/true', [], { stdin: { bytes } });
    expect(fetches()).toBe(before + 1);
  });

  test('clears no bucket by a message of its own', async () => {
    const b = await connectAs('b');
    const rollup = headers();
    rollup.set('Nats-Rollup', 'all');
    for (const subject of ['$KV.sbx-records.b.x', '$O.sbx-files.M.b.x']) {
      const answer = await b.request(subject, 'x', { headers: rollup });
      expect(answer.json().error.description).toContain('rollup not permitted');
    }
    await b.close();
  });

  test.each([
    ['as it is', '', WHOLE],
    ['without its headers', WITHOUT_HEADERS, WHOLE],
    ['with headers that do not end', '', UNFINISHED],
  ])(
    'runs nothing in the name of others by an answer that goes to their subject, %s',
    async (_how, query, lines) => {
      const observer = await connectAs('root');
      const sent: { data: Uint8Array }[] = [];
      observer.subscribe('sbx.jobs.b', {
        callback: (_: unknown, message: (typeof sent)[0]) => sent.push(message),
      });
      await observer.flush();
      await using engine = await openAs('b');
      await engine.run('/bin/true');
      const text = Buffer.from(sent[0]!.data).toString('latin1');
      const job = Buffer.from(text.replace('"tenant":"b"', '"tenant":"a"'), 'latin1');
      const records: string[] = [];
      const started = worker.describe().totals.started;
      observer.subscribe('sbx.ended.a.*', {
        callback: (_: unknown, { subject }: { subject: string }) => records.push(subject),
      });
      await observer.flush();
      const b = await connectAs('b');
      await b.request('$KV.sbx-records.b.job', job, lines);
      b.publish('$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.b.job', query, { reply: 'sbx.jobs.a' });
      await b.flush();
      await b.close();
      await a.run('/bin/sleep', ['0.3']); // comes after it
      await observer.flush();
      expect(records).toHaveLength(1);
      expect(worker.describe().totals.started).toBe(started + 1);
      await observer.close();
    },
  );

  test.each([
    ['drop', '', WHOLE],
    ['result', '', WHOLE],
    ['result', WITHOUT_HEADERS, WHOLE],
    ['result', '', UNFINISHED],
  ])(
    'ends no program of others by an answer that goes to all workers: %s %s %#',
    async (mode, query, lines) => {
      const id = `sleeper-${mode}-${query.length}-${lines === WHOLE}`;
      const request = { file: '/bin/sh', args: ['-c', 'sleep 1; echo whole'] };
      const ticket = await a.submit({ id, maxAttempts: 1, request });
      await until(20_000, 'it runs', () => ticket.state === 'leased');
      const cancel = Buffer.from(JSON.stringify({ id, mode }));
      const b = await connectAs('b');
      await b.request('$KV.sbx-records.b.cancel', Buffer.from([1, 0, 0, 0, cancel.length, ...cancel]), lines);
      const own = '$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.b.cancel';
      b.publish(own, query, { reply: 'sbx.cancel.a' });
      await b.flush();
      await b.close();
      expect((await ticket.result).stdout.text()).toBe('whole\n');
    },
  );

  test.each([
    ['cannot be read', UNREADABLE],
    ['are far too many', MANY],
  ])('stops no worker by messages whose headers %s', async (_how, own) => {
    const b = await connectAs('b');
    const places = worker.describe().slots;
    for (let count = 0; count <= places; count += 1) {
      b.publish('sbx.cancel.b', 'no cancel', own);
      b.publish('sbx.jobs.b', 'no job', own);
    }
    await b.flush();
    await b.close();
    const job = { id: randomUUID(), maxAttempts: 1, request: { file: '/bin/true' } };
    const ticket = await a.submit(job);
    expect((await ticket.result).status).toBe('ok');
    const look = () => clusterStatus(optionsOf('status'));
    await until(20_000, 'they have left the queue', async () => (await look()).tenants.length === 0);
  });

  // What the page says of such tenants. Should this fail, NATS has mended it, and the page is to say less.
  test('reads records of others by a stream that it makes through the inbox of a request', async () => {
    await a.run('/bin/echo', ['secret of a']);
    const b = await connectAs('b');
    const read: string[] = [];
    b.subscribe('_INBOX_b.all.>', {
      callback: (_: unknown, message: { string(): string }) => read.push(message.string()),
    });
    const mirror = { name: 'KV_sbx-records' };
    const config = { name: 'all', mirror, republish: { src: '>', dest: '_INBOX_b.all.>' } };
    await b.request('$KV.sbx-records.b.stream', JSON.stringify(config));
    const own = '$JS.API.DIRECT.GET.KV_sbx-records.$KV.sbx-records.b.stream';
    b.publish(own, '', { reply: '$JS.API.STREAM.CREATE.all' });
    await until(20_000, 'it reads a record', () => read.some((record) => record.includes('secret of a')));
    await b.close();
    const root = await connectAs('root');
    await root.request('$JS.API.STREAM.DELETE.all');
    await root.close();
  });

  test('blocks no id where the submitter may look whose message has it', async () => {
    const b = await connectAs('b');
    const own = headers();
    own.set('Nats-Msg-Id', 'a.guessed');
    await b.request('sbx.jobs.b', 'no job', { headers: own });
    await b.close();
    await using engine = await openAs('root', 'a');
    const job = { id: 'guessed', request: { file: '/bin/true' }, deadlineMs: 10_000 };
    const ticket = await engine.submit(job);
    expect((await ticket.result).status).toBe('ok');
  });
});

describe('a permission that is missing is named', () => {
  test.each([
    ['c0', 'publish', /^sbx\.jobs\.c$/],
    ['c1', 'subscribe', /^sbx\.notice\.c\./],
    ['c2', 'subscribe', /^sbx\.ended\.c\./],
    ['c3', 'subscribe', /^sbx\.session\.c\..*\.up$/],
    ['c4', 'publish', /^sbx\.session\.c\..*\.down$/],
  ] as const)('%s: %s', async (name, operation, subject) => {
    await using engine = await openAs(name, 'c');
    const call = async () => {
      const child = await engine.spawn('/bin/cat', [], { stdin: 'pipe', stdout: 'pipe' });
      Promise.resolve(child.stdin!.end('a word')).catch(() => undefined); // it was ended first
      return child.result;
    };
    const error = await call().catch((error) => error);
    expect(error).toMatchObject({ code: 'SBX_CLUSTER_DENIED', operation });
    expect(error.subject).toMatch(subject);
  });

  test('by open, startWorker and clusterStatus', async () => {
    const error = { code: 'SBX_CLUSTER_DENIED', operation: 'publish' };
    const subject = '$JS.API.CONSUMER.INFO.sbx-jobs.workers';
    await expect(openAs('d')).rejects.toMatchObject({ ...error, subject });
    await expect(clusterStatus(optionsOf('d'))).rejects.toMatchObject({ ...error, subject });
    const working = startWorker({ ...optionsOf('w'), engine: local, languages: [] });
    await expect(working).rejects.toMatchObject({ operation: 'subscribe', subject: 'sbx.cancel.*' });
  });

  test('an inbox prefix that is none', async () => {
    const opening = ClusterEngine.open({ servers: nats.url, inboxPrefix: 'a.>' });
    await expect(opening).rejects.toMatchObject({ field: 'options.inboxPrefix' });
  });
});
