import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClusterEngine, type ClusterJob, clusterStatus, startWorker, type Worker } from '@sbx/cluster';
import {
  Engine,
  FileAccessError,
  InvalidOptionsError,
  OverloadedError,
  ProgramNotFoundError,
} from '@sbx/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../tidy/sources.js';
import { cacheFolders, Nats, useNats } from './nats.js';

const natsRequire = createRequire(join(root, 'packages/cluster/package.json'));
const nats = useNats();
let local: Engine;
let worker: Worker;
let engine: ClusterEngine;

/** Files in the bucket under that hash. */
async function storedUnder(name: string): Promise<number> {
  const { connect } = natsRequire('@nats-io/transport-node');
  const { jetstreamManager } = natsRequire('@nats-io/jetstream');
  const connection = await connect({ servers: nats.url });
  try {
    const { streams } = await jetstreamManager(connection);
    const subjects_filter = `$O.sbx-files.M.*.${name}`;
    const { state } = await streams.info('OBJ_sbx-files', { subjects_filter });
    return Object.values<number>(state.subjects).reduce((sum, count) => sum + count, 0);
  } finally {
    await connection.close();
  }
}

beforeAll(async () => {
  local = await Engine.open({ parallelism: 4, ceilings: { wallTimeMs: 60_000 } });
  const options = {
    servers: nats.url,
    engine: local,
    slots: 4,
    outputBytesMax: 32 * 2 ** 20,
    languages: ['python'],
  };
  worker = await startWorker({ ...options, labels: { rack: 'a' } });
  engine = await ClusterEngine.open({ servers: nats.url });
}, 120_000);

afterAll(async () => {
  await engine.close();
  await worker.close();
  await local.close();
  expect(cacheFolders()).toEqual([]);
});

describe('run', () => {
  test('gives what an engine of this machine gives', async () => {
    const options = {
      files: {
        'in.txt': 'from a file\n',
        link: { symlink: 'in.txt' },
        'x.sh': { text: 'exit 3', executable: true },
      },
      stdin: { text: 'from stdin\n' },
      env: { PATH: '/usr/bin:/bin', WORD: 'word' },
      copyOut: ['out', { path: 'none', optional: true }],
      limits: { wallTimeMs: 5000 },
    } as const;
    const args = ['-c', 'cat; cat link; echo $WORD >&2; printf abc > out; exit 3'];
    const [here, there] = [
      await local.run('/bin/sh', args, options),
      await engine.run('/bin/sh', args, options),
    ];
    const plain = ({ usage: _usage, orThrow: _orThrow, ...rest }: typeof here) => ({
      ...rest,
      stdout: rest.stdout.text(),
      stderr: rest.stderr.text(),
      files: Object.values(rest.files).map((file) => [file.path, file.mode, file.sizeBytes, file.text()]),
    });
    expect(plain(there)).toEqual(plain(here));
    expect(there).toMatchObject({ status: 'exit', exitCode: 3 });
    expect(there.usage.wallTimeMs).toBeGreaterThan(0);
    expect(() => there.orThrow()).toThrow(expect.objectContaining({ code: 'SBX_PROGRAM_FAILED' }));
  });

  test('errors of the worker’s engine have their class and fields', async () => {
    const missing = await engine.run('no-such-program').catch((error) => error);
    expect(missing).toBeInstanceOf(ProgramNotFoundError);
    expect(missing).toMatchObject({
      name: 'ProgramNotFoundError',
      file: 'no-such-program',
      retryable: false,
    });
    const above = await engine.run('true', [], { limits: { wallTimeMs: 90_000 } }).catch((error) => error);
    expect(above).toBeInstanceOf(InvalidOptionsError);
    expect(above).toMatchObject({ field: 'options.limits.wallTimeMs', rule: 'ceiling' });
    const outside = await engine.run('true', [], { files: { '/usr/x': 'x' } }).catch((error) => error);
    expect([outside.constructor, outside.code, outside.path]).toEqual([
      FileAccessError,
      'SBX_FILE_OUTSIDE',
      '/usr/x',
    ]);
  });

  test('contents that do not fit a message go through the store, are checked, and come once', async () => {
    const before = worker.describe().cache;
    const bytes = Buffer.alloc(3 * 2 ** 20, 'abcdefg');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const options = { files: { big: bytes }, copyOut: ['big'], limits: { diskBytes: 16 * 2 ** 20 } };
    const runs = [1, 2, 3, 4].map(() => engine.run('/usr/bin/sha256sum', ['big'], options));
    for (const { stdout, files } of await Promise.all(runs)) {
      expect(stdout.text()).toBe(`${hash}  big\n`);
      expect(bytes.equals(files.big!.bytes)).toBe(true);
    }
    const { cache } = worker.describe();
    expect(cache.fetches - before.fetches).toBe(1);
    expect(cache.hits - before.hits).toBe(3);
    expect(await storedUnder(hash)).toBe(1);
  });

  test('descriptors and files of this machine are read here, and asked for are made here', async () => {
    writeFileSync('/tmp/sbx-test-host-input', 'from the host');
    const fd = openSync('/tmp/sbx-test-host-input', 'r');
    try {
      const result = await engine.run('/bin/sh', ['-c', 'cat a b > out; cat > c; cat c'], {
        files: { a: { fd }, b: { hostFile: '/tmp/sbx-test-host-input' } },
        stdin: { fd, seekable: true },
        stdout: { file: 'said', collect: { maxBytes: 4, as: 'fd' } },
        copyOut: [{ path: 'out', as: 'fd' }],
      });
      expect(readFileSync(result.files.out!.fd!, 'utf8')).toBe('from the hostfrom the host');
      expect(readFileSync(result.stdout.fd!, 'utf8')).toBe('from');
      expect(result.stdout).toMatchObject({ totalBytes: 13, droppedBytes: 9 });
      closeSync(result.files.out!.fd!);
      closeSync(result.stdout.fd!);
    } finally {
      closeSync(fd);
      rmSync('/tmp/sbx-test-host-input');
    }
  });

  test.each([
    ['an open descriptor', { stdin: { inherit: 0 } }, 'options.stdin.inherit'],
    ['an open descriptor as output', { stdout: { inherit: 1 } }, 'options.stdout.inherit'],
    ['one of fds', { fds: { 5: { fd: 1 } } }, 'options.fds[5].fd'],
    ['a callback', { onStdout: () => undefined }, 'options.onStdout'],
    ['a stream', { stdin: { stream: (async function* () {})() } }, 'options.stdin.stream'],
    ['a device', { files: { x: { hostFile: '/dev/zero' } } }, 'options.files["x"]'],
    ['an unknown option', { wallTime: 5 }, 'options'],
  ])('%s is refused by name, and nothing is sent', async (_what, options, field) => {
    const before = engine.counters().startedTotal;
    const refused = await engine.run('true', [], options as never).catch((error) => error);
    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect(refused.field).toContain(field);
    expect(engine.counters().startedTotal).toBe(before);
  });

  test('what a job may bring back is bounded by the worker', async () => {
    const capture = { maxBytes: 2 ** 31 };
    await expect(engine.run('true', [], { stdout: { capture } })).rejects.toMatchObject({ rule: 'ceiling' });
    await expect(engine.run('true', [], { limits: { outputBytes: null } })).rejects.toMatchObject({
      rule: 'ceiling',
    });
    const fds = { 3: { output: { capture: { maxBytes: 2 ** 24 } } } };
    await engine.run('true', [], { fds });
    await expect(engine.run('true', [], { fds: { ...fds, 4: fds[3], 5: fds[3] } })).rejects.toMatchObject({
      field: 'options.fds',
      rule: 'ceiling',
    });
    const programs = Array.from({ length: 33 }, () => ({ file: 'true' }));
    await expect(engine.runGroup({ programs })).rejects.toMatchObject({
      field: 'request.programs',
      rule: 'ceiling',
    });
  });
});

describe('runGroup', () => {
  test('runs programs joined by pipes on one worker', async () => {
    const { results, recordings } = await engine.runGroup({
      programs: [
        { file: 'echo', args: ['through the pipe'], limits: { wallTimeMs: 5000 } },
        { file: 'cat', limits: { wallTimeMs: 5000 } },
      ],
      pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 }, record: { maxBytes: 100 } }],
    });
    expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(results[1]!.stdout.text()).toBe('through the pipe\n');
    expect(recordings[0]!.text()).toBe('through the pipe\n');
  });

  test("settle: 'each' tells each program's error", async () => {
    const group = await engine.runGroup({
      settle: 'each',
      programs: [{ file: 'true' }, { file: 'no-such-program' }],
    });
    expect(group.results.map((result) => result?.status ?? null)).toEqual(['ok', null]);
    expect(group.errors[1]).toBeInstanceOf(ProgramNotFoundError);
  });
});

describe('jobs', () => {
  const request = { file: 'sh', args: ['-c', 'cat /proc/sys/kernel/random/uuid'] };

  test('the same id is the same job, in this process and in another, and a different body an error', async () => {
    const first = await engine.submit({ id: 'twice', request });
    const second = await engine.submit({ id: 'twice', request });
    await using other = await ClusterEngine.open({ servers: nats.url });
    const third = await other.submit({ id: 'twice', request });
    const texts = (await Promise.all([first, second, third].map(({ result }) => result))).map(({ stdout }) =>
      stdout.text(),
    );
    expect(new Set(texts).size).toBe(1);
    const conflict = other.submit({ id: 'twice', request: { file: 'true' } }).then(({ result }) => result);
    await expect(conflict).rejects.toMatchObject({ name: 'JobConflictError', code: 'SBX_JOB_CONFLICT' });
  });

  test.each([
    ['priority', Number.NaN, 'must be a number from -1000 to 1000; got NaN'],
    ['deadlineMs', 2 ** 31, 'must be a number from 1 to 2147483647; got 2147483648'],
    ['deadlineMs', '10', 'must be a number from 1 to 2147483647; got 10'],
    ['maxAttempts', 0, 'must be an integer from 1 to 100; got 0'],
    ['maxAttempts', 1.5, 'must be an integer from 1 to 100; got 1.5'],
  ])('%s: %s is refused before anything is sent', async (name, value, expected) => {
    const job = { id: `odd-${name}-${value}`.replace('.', '_'), request: { file: 'true' }, [name]: value };
    const before = engine.counters().startedTotal;
    await expect(engine.submit(job as ClusterJob)).rejects.toMatchObject({
      name: 'InvalidOptionsError',
      message: `job.${name} ${expected}.`,
    });
    expect(engine.counters().startedTotal).toBe(before);
  });

  test('an abort rejects with its reason, or resolves with what there is', async () => {
    const controller = new AbortController();
    const running = engine.run('sleep', ['30'], { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
    const second = new AbortController();
    const told = engine.run('sh', ['-c', 'echo begun; sleep 30'], {
      signal: second.signal,
      onAbort: 'resolve',
    });
    setTimeout(() => second.abort(), 300);
    const result = await told;
    expect([result.status, result.stdout.text()]).toEqual(['killed', 'begun\n']);
  });

  test('a deadline cancels, and says where the job was', async () => {
    const ticket = await engine.submit({
      id: 'late',
      request: { file: 'sleep', args: ['30'] },
      deadlineMs: 200,
    });
    await expect(ticket.result).rejects.toMatchObject({
      code: 'SBX_JOB_DEADLINE',
      details: { state: 'leased' },
    });
    await expect.poll(() => local.counters().running).toBe(0);
  });

  test('a full queue refuses, and says when to try again', async () => {
    await using small = await ClusterEngine.open({ servers: nats.url, queueLength: 2 });
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const all = Array.from({ length: 20 }, () => small.run('sleep', ['30'], options));
    const ends = Promise.allSettled(all);
    await expect.poll(() => small.counters().refusedTotal).toBeGreaterThan(0);
    controller.abort(new Error('over'));
    const refused = (await ends)
      .map((end) => (end as PromiseRejectedResult).reason)
      .filter((one) => one instanceof OverloadedError);
    expect(refused.length).toBe(20 - 8 - 2);
    expect(refused[0]).toMatchObject({ retryable: true, retryAfterMs: 1000 });
  });

  test.each([
    ['job.id', { id: 'a.b' }],
    ['job.id', { id: '*' }],
    ['job.tenant', { id: 'x', tenant: 'a b' }],
  ])('%s that NATS would read as more than a name is refused', async (field, names) => {
    await expect(engine.submit({ ...names, request })).rejects.toMatchObject({ field, rule: 'format' });
  });
});

describe('what is known of a cluster', () => {
  test('info, counters and status', async () => {
    expect(engine.isReady).toBe(true);
    expect(engine.info()).toMatchObject({ parallelism: 4, ceilings: { wallTimeMs: 60_000 } });
    expect(engine.info().features).toEqual(local.info().features);
    expect(engine.counters().byStatus.ok).toBeGreaterThan(0);
    const look = () => clusterStatus({ servers: nats.url });
    // Jobs that were cancelled a moment ago are on their way out.
    await expect
      .poll(async () => (await look()).queue)
      .toEqual({ waiting: 0, running: 0, redelivered: 0, oldestMs: null });
    const status = await look();
    expect(status.workers).toMatchObject([
      { name: worker.name, slots: 4, labels: { rack: 'a' }, isDraining: false },
    ]);
    expect(status.workers[0]!.languages).toMatchObject([
      { name: 'python', version: expect.stringMatching(/^3\./) },
    ]);
    expect(status.tenants).toEqual([]);
    await expect.poll(() => worker.describe().totals.accepted, { timeout: 5000 }).toBeGreaterThan(0);
  });

  test('a broker that is not there is told as such', async () => {
    const opening = ClusterEngine.open({ servers: 'nats://me:hunter2@127.0.0.1:1,nats://127.0.0.1:2' });
    await expect(opening).rejects.toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE', retryable: true });
    await expect(opening).rejects.toThrow('At nats://127.0.0.1:1, nats://127.0.0.1:2: connection refused.');
    const wrong = ClusterEngine.open({ servers: nats.url, tenants: 'x' } as never);
    await expect(wrong).rejects.toMatchObject({ field: 'options.tenants', hint: 'Did you mean tenant?' });
  });

  test('a broker whose messages are too small for jobs and results is refused, with what to set', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sbx-test-nats-'));
    writeFileSync(join(folder, 'small.conf'), 'max_payload: 512KB');
    const small = await Nats.start(['-c', join(folder, 'small.conf')]);
    const opening = ClusterEngine.open({ servers: small.url });
    await expect(opening).rejects.toMatchObject({
      ...{ field: 'options.servers', rule: 'size', hint: expect.stringContaining('max_payload') },
    });
    await small.stop();
    rmSync(folder, { recursive: true });
  });

  test('a broker that never answers is given up, and nothing of the connection is left', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const opening = ClusterEngine.open({ servers: `nats://127.0.0.1:${port}` });
    await expect(opening).rejects.toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE' });
    const [socket] = sockets;
    socket!.resume();
    if (!socket!.destroyed) await once(socket!, 'close');
    silent.close();
  }, 15_000);
});
