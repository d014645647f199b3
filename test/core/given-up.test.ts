// What is given up in the middle: an abort, or the engine closes, while a sandbox is made or a program has a
// grace.
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { useEngine, withEngine } from '../helpers/engine.js';
import { timed, until } from '../helpers/wait.js';

const sbx = useEngine();

/** A source that never gives anything. */
const silent = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) });

it('an abort while files are copied in rejects with its reason, and no sandbox is left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'given-up-'));
  try {
    const controller = new AbortController();
    const hostFile = join(folder, 'file');
    writeFileSync(hostFile, 'x');
    const files = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, { hostFile }]));
    const making = sbx.engine.createSandbox({ files, signal: controller.signal });
    const rejects = expect(making).rejects.toThrow('enough');
    await until(5000, 'one is made', () => sbx.engine.counters().sandboxes === 1);
    controller.abort(new Error('enough'));
    await rejects;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await until(5000, 'none is left', () => sbx.engine.counters().sandboxes === 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a workspace that never comes does not outlive the engine', async () => {
  let making: Promise<unknown> = Promise.resolve();
  await withEngine({}, async (engine) => {
    making = engine.createSandbox({ workspace: silent() }).catch((error) => error);
    await until(5000, 'one is made', () => engine.counters().sandboxes === 1);
  });
  expect(await making).toMatchObject({ code: 'SBX_CLOSED' });
});

/** Streams that never give anything, with whether they have been told that nothing more is taken. */
const silentStreams: [
  what: string,
  make: () => [source: AsyncIterable<Uint8Array>, isOver: () => boolean],
][] = [
  ['a Node stream', silentReadable],
  ['a Web stream', silentWebStream],
  ['an iterable', silentIterable],
];

function silentReadable(): [AsyncIterable<Uint8Array>, () => boolean] {
  const source = new Readable({ read: () => {} });
  return [source, () => source.destroyed];
}

function silentWebStream(): [AsyncIterable<Uint8Array>, () => boolean] {
  let isOver = false;
  const cancel = () => {
    isOver = true;
  };
  const source = new ReadableStream<Uint8Array>({ cancel });
  return [source as unknown as AsyncIterable<Uint8Array>, () => isOver];
}

function silentIterable(): [AsyncIterable<Uint8Array>, () => boolean] {
  let isOver = false;
  const next = () => new Promise<never>(() => {});
  const over = () => {
    isOver = true;
    return new Promise<never>(() => {});
  };
  return [{ [Symbol.asyncIterator]: () => ({ next, return: over }) }, () => isOver];
}

it.each(silentStreams)('a file from %s that never comes does not outlive the sandbox', async (_, make) => {
  const sandbox = await sbx.engine.createSandbox();
  const [source, isOver] = make();
  const writing = sandbox.writeFile('never', source).catch((error) => error);
  const stream = sandbox.createWriteStream('never too');
  const failed = new Promise((resolve) => stream.once('error', resolve));
  await until(5000, 'the files are made', async () => (await sandbox.readdir()).length === 2);
  await sandbox.close();
  const closed = await sandbox.stat('never').catch((error) => error);
  expect(closed).toMatchObject({ code: 'SBX_CLOSED' });
  expect(await writing).toEqual(closed);
  expect(await failed).toEqual(closed);
  expect(isOver()).toBe(true);
});

it.each(silentStreams)('a workspace from %s that is given up is told so', async (_, make) => {
  const [workspace, isOver] = make();
  const signal = AbortSignal.timeout(50);
  const making = sbx.engine.createSandbox({ workspace, signal });
  await expect(making).rejects.toMatchObject({ name: 'TimeoutError' });
  await until(5000, 'the source is told', isOver);
});

it('a program has its grace when the engine closes, and no more', async () => {
  const script = (then: string) => `trap '${then}' TERM; echo up; while :; do sleep 0.02; done`;
  const ends: Promise<unknown>[] = [];
  const { ms } = await timed(() =>
    withEngine({}, async (engine) => {
      for (const then of ['sleep 0.2; echo bye; exit', ':']) {
        const { stdout, result } = await engine.spawn('/bin/sh', ['-c', script(then)], {
          stdout: 'pipe',
          killGraceMs: 600,
        });
        const lines = stdout.lines();
        expect((await lines.next()).value).toBe('up');
        const last = lines.next().then(({ value }) => value);
        ends.push(Promise.all([last, result.then(({ status, exitSignal }) => `${status} ${exitSignal}`)]));
      }
    }),
  );
  expect(await Promise.all(ends)).toEqual([
    ['bye', 'killed null'],
    [undefined, 'killed SIGKILL'],
  ]);
  expect(ms).toBeLessThan(5000);
});

it('snapshots that are over leave nothing at the signal that they shared', async () => {
  await using sandbox = await sbx.engine.createSandbox({ files: { a: 'x' } });
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count++) for await (const _ of sandbox.snapshot({ signal }));
  for await (const _ of sandbox.snapshot({ signal })) break;
  await until(5000, 'no listener is left', () => getEventListeners(signal, 'abort').length === 0);
});
