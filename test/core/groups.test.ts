// Several programs, each in a sandbox of its own, joined by pipes.
import type { GroupPipe, GroupProgram, GroupResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { listThreads, type ThreadRow } from '../helpers/proc.js';
import { sleep, timed, timedByOthers, until } from '../helpers/wait.js';

const sbx = useEngine();

const program = (name: string, args: string[] = [], more: Partial<GroupProgram> = {}): GroupProgram => ({
  file: t(name),
  args,
  ...more,
});

/** `pipe('0:1', '1:0')`: from descriptor 1 of the first program to descriptor 0 of the second. */
function pipe(from: string, to: string, more: Partial<GroupPipe> = {}): GroupPipe {
  const end = (text: string) => {
    const [index, fd] = text.split(':').map(Number);
    return { index: index!, fd: fd! };
  };
  return { from: end(from), to: end(to), ...more };
}

const statuses = (group: GroupResult) => group.results.map((result) => result.status);
const texts = (group: GroupResult) => group.results.map((result) => result.stdout.text());
const count = (text: string | undefined) => Number(text?.split(' ')[0]);

/** Everything goes on whatever each of them does: with this much time for 10 ms of work, a hang is a hang. */
const SOON_MS = paced(1000);

/** The thread of this process that works the relays; `undefined` without one. */
const relayThread = () => listThreads().find(({ name }) => name === 'sbx-relays');
const switchesOf = ({ sleeps, preemptions }: ThreadRow) => sleeps + preemptions;

const kinds: [string, Partial<GroupPipe>][] = [
  ['kernel pipes', {}],
  ['relays', { relay: true }],
  ['recording relays', { record: { maxBytes: 100 } }],
];

describe.each(kinds)('%s', (_, kind) => {
  it('from one to the next', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('flood', ['1', String(4 * MiB)]), program('sum-fd', ['0'])],
      pipes: [pipe('0:1', '1:0', kind)],
    });
    expect(statuses(group)).toEqual(['ok', 'ok']);
    expect(count(texts(group)[1])).toBe(4 * MiB);
  });

  it('in place of a terminal’s output', async () => {
    const script = 'echo piped; echo shown >&2; test -t 0 && test -t 2 && ! test -t 1';
    const group = await sbx.engine.runGroup({
      programs: [{ file: '/bin/sh', args: ['-c', script], pty: {} }, { file: '/bin/cat' }],
      pipes: [pipe('0:1', '1:0', kind)],
    });
    expect(statuses(group)).toEqual(['ok', 'ok']);
    expect(texts(group)).toEqual(['shown\r\n', 'piped\n']);
  });

  it('three in a row', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('flood', ['1', '300000']), program('copy-fd', ['0', '1']), program('sum-fd', ['0'])],
      pipes: [pipe('0:1', '1:0', kind), pipe('1:1', '2:0', kind)],
    });
    expect(count(texts(group)[2])).toBe(300_000);
  });

  it('there and back on descriptors 3 and 4: 1000 rounds', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('talk', ['1000', 'first']), program('talk', ['1000', 'second'])],
      pipes: [pipe('0:4', '1:3', kind), pipe('1:4', '0:3', kind)],
    });
    expect(statuses(group)).toEqual(['ok', 'ok']);
    expect(texts(group)[1]).toBe('2000\n'); // both add one per round
  });

  it('the reader ends early: the writer gets EPIPE', async () => {
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        programs: [program('flood', ['1', '0']), program('copy-fd', ['0', '1', '100'])],
        pipes: [pipe('0:1', '1:0', kind)],
      }),
    );
    expect(statuses(group)).toEqual(['exit', 'ok']);
    expect(group.results[0]!.stderr.text()).toBe('EPIPE\n');
    expect(texts(group)[1]).toHaveLength(100);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('the writer ends early: the reader gets the end of file', async () => {
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        programs: [program('exit-with', ['2']), program('sum-fd', ['0'])],
        pipes: [pipe('0:1', '1:0', kind)],
      }),
    );
    expect(statuses(group)).toEqual(['exit', 'ok']);
    expect(count(texts(group)[1])).toBe(0);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('the writer leaves an orphan that holds the pipe: the reader is not kept waiting', async () => {
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        programs: [program('leave-orphan', ['sleep', '60000']), program('sum-fd', ['0'])],
        pipes: [pipe('0:1', '1:0', kind)],
      }),
    );
    expect(statuses(group)).toEqual(['ok', 'ok']);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('one killed by its limit does not hang the other', async () => {
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        programs: [program('deaf', [], { limits: { wallTimeMs: paced(500) } }), program('sum-fd', ['0'])],
        pipes: [pipe('0:1', '1:0', kind)],
      }),
    );
    expect(statuses(group)).toEqual(['wall-limit', 'ok']);
    expect(count(texts(group)[1])).toBe('ready\n'.length);
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('each waits for the other: both run into their wall limits, nothing more', async () => {
    const limits = { wallTimeMs: 200 };
    const { value: group, ms } = await timed(() =>
      sbx.engine.runGroup({
        programs: [program('sum-fd', ['0'], { limits }), program('sum-fd', ['0'], { limits })],
        pipes: [pipe('0:1', '1:0', kind), pipe('1:1', '0:0', kind)],
      }),
    );
    // When the first is killed the other sees the end of file, if it is still there.
    expect(statuses(group)).toContain('wall-limit');
    expect(ms).toBeLessThan(SOON_MS);
  });
});

describe('recordings', () => {
  it('keep the first bytes, count all, and pass all', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('flood', ['1', '1000000']), program('sum-fd', ['0'])],
      pipes: [pipe('0:1', '1:0', { record: { maxBytes: 640 } })],
    });
    const recording = group.recordings[0]!;
    expect([recording.bytes.byteLength, recording.truncated, recording.totalBytes]).toEqual([
      640,
      true,
      1_000_000,
    ]);
    expect(recording.text().slice(0, 10)).toBe('0123456789');
    expect(count(texts(group)[1])).toBe(1_000_000);
  });

  it('exactly the bound is not cut', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('flood', ['1', '640']), program('sum-fd', ['0'])],
      pipes: [pipe('0:1', '1:0', { record: { maxBytes: 640 } })],
    });
    expect([group.recordings[0]!.bytes.byteLength, group.recordings[0]!.truncated]).toEqual([640, false]);
  });

  it('are in the order of the pipes, null for those without', async () => {
    const group = await sbx.engine.runGroup({
      programs: [program('talk', ['10', 'first']), program('talk', ['10', 'second'])],
      pipes: [pipe('0:4', '1:3'), pipe('1:4', '0:3', { record: { maxBytes: 1000 } })],
    });
    expect(group.recordings[0]).toBeNull();
    expect(group.recordings[1]!.totalBytes).toBe(40);
  });
});

describe('a reader that leaves', () => {
  const leaving = program('copy-fd', ['0', '1', '100']);
  const after = { programs: [program('flood', ['1', '3000000']), leaving] };

  it.each([
    ['drain', { record: { maxBytes: 10, drain: true } }, 'ok', 3_000_000],
    ['no drain', { record: { maxBytes: 10 } }, 'exit', null],
    ['drain without recording', { relay: { drain: true } }, 'ok', null],
    ['neither', { relay: {} }, 'exit', null],
  ] as const)('%s', async (_, kind, status, totalBytes) => {
    const group = await sbx.engine.runGroup({ ...after, pipes: [pipe('0:1', '1:0', kind)] });
    expect(statuses(group)).toEqual([status, 'ok']);
    const recording = group.recordings[0];
    if ('relay' in kind) return expect(recording).toBeNull();
    expect(recording!.text()).toBe('0123456789');
    if (totalBytes === null) expect(recording!.totalBytes).toBeLessThan(3_000_000);
    else expect(recording!.totalBytes).toBe(totalBytes);
  });

  it.each([
    ['a plain pipe', {}],
    ['a relay', { relay: true }],
  ] as const)('%s: its closing end is enough, though it lives on', async (_, kind) => {
    const script = 'exec 0<&-; sleep 0.3';
    const group = await sbx.engine.runGroup({
      programs: [program('flood', ['1', '0']), { file: '/bin/sh', args: ['-c', script] }],
      pipes: [pipe('0:1', '1:0', kind)],
    });
    expect(group.results[0]!.stderr.text()).toBe('EPIPE\n');
    // Well before the reader's own end, also where both take their time to start.
    const [writer, reader] = group.results.map((result) => result!.usage.wallTimeMs);
    expect(writer).toBeLessThan(reader! - 100);
  });
});

describe('relays', () => {
  it('a program that does not read: the writer waits, and nothing is held for it in the host', async () => {
    const before = process.memoryUsage.rss();
    const group = await sbx.engine.runGroup({
      programs: [
        program('flood', ['1', '0', 'accepted'], { copyOut: ['accepted'], limits: { wallTimeMs: 300 } }),
        program('sleep-ms', ['400']),
      ],
      pipes: [pipe('0:1', '1:0', { relay: { drain: true } })],
    });
    expect(statuses(group)).toEqual(['wall-limit', 'ok']);
    // Two pipes and one chunk on the way.
    expect(Number(group.results[0]!.files.accepted?.text() ?? 0)).toBeLessThanOrEqual(4 * 64 * 1024);
    expect(process.memoryUsage.rss() - before).toBeLessThan(32 * MiB);
  });

  it('pass lines on while JavaScript is busy', async () => {
    const { engine } = sbx;
    await until(2000, 'two stand ready', () => engine.counters().ready >= 2); // then both are started at once
    const run = engine.runGroup({
      programs: [program('talk', ['50', 'first']), program('talk', ['50', 'second'])],
      pipes: [pipe('0:4', '1:3', { relay: true }), pipe('1:4', '0:3', { record: { maxBytes: 8 } })],
    });
    await until(1000, 'both run', () => engine.counters().sandboxes === 2);
    const busyUntil = performance.now() + 1500;
    while (performance.now() < busyUntil);
    const { results } = await run;
    // With JavaScript in between it would take all of that, and more.
    expect(results[0]!.usage.wallTimeMs).toBeLessThan(1400);
  });

  it('cost nothing while nobody writes, and little while somebody does slowly', async () => {
    let write = (_: string | null) => {};
    const lines = new ReadableStream<string>({
      start: (controller) => {
        write = (line) => (line === null ? controller.close() : controller.enqueue(line));
      },
    });
    const run = sbx.engine.runGroup({
      programs: [program('copy-fd', ['0', '1'], { stdin: { stream: lines } }), program('sum-fd', ['0'])],
      pipes: [pipe('0:1', '1:0', { relay: true })],
    });
    await until(2000, 'both run', () => sbx.engine.counters().sandboxes === 2);
    await until(2000, 'the relays sleep', () => relayThread()?.state === 'S');
    // What polls has woken up in between, what spins is not asleep.
    const asleep = relayThread()!;
    await sleep(500);
    expect(relayThread()).toEqual(asleep);
    for (let i = 0; i < 10; i += 1) {
      write('\n');
      await sleep(20);
    }
    await until(2000, 'the relays sleep', () => relayThread()?.state === 'S');
    const after = relayThread()!;
    // For each line it wakes up once, looks whether there is more, and sleeps again.
    expect(switchesOf(after) - switchesOf(asleep)).toBeGreaterThanOrEqual(5);
    expect(switchesOf(after) - switchesOf(asleep)).toBeLessThan(100);
    expect(after.ticks - asleep.ticks).toBeLessThan(10);
    write(null);
    const group = await run;
    expect(statuses(group)).toEqual(['ok', 'ok']);
    expect(count(texts(group)[1])).toBe(10);
  });

  it('many at once, and none left of them', async () => {
    const size = 8;
    const others = Array.from({ length: size }, (_, index) => index);
    const run = () =>
      sbx.engine.runGroup({
        programs: others.map(() => program('copy-fd', ['0', '1', '5'], { stdin: undefined })),
        pipes: others.slice(1).map((index) => pipe(`${index - 1}:1`, `${index}:0`, { relay: true })),
      });
    const groups = await Promise.all([run(), run(), run()]);
    for (const group of groups) expect(statuses(group)).toEqual(others.map(() => 'ok'));
  });
});

describe('members', () => {
  it('have files, limits and verdicts of their own', async () => {
    const group = await sbx.engine.runGroup({
      programs: [
        { file: '/bin/cat', args: ['f'], files: { f: 'first' } },
        { file: '/bin/cat', args: ['f'], files: { f: 'second' } },
        program('read-paths', ['f']),
        program('burn-cpu', ['9999'], { limits: { cpuTimeMs: 50 } }),
        program('write-file', ['out', '10'], { copyOut: ['out'] }),
      ],
    });
    expect(statuses(group)).toEqual(['ok', 'ok', 'ok', 'cpu-limit', 'ok']);
    expect(texts(group).slice(0, 3)).toEqual(['first', 'second', 'f: ENOENT\n']);
    expect(group.results[4]!.files.out!.bytes.byteLength).toBe(10);
  });

  it('one that cannot start takes the group down with a typed error', async () => {
    const run = sbx.engine.runGroup({
      programs: [program('sleep-ms', ['60000']), { file: '/nowhere' }],
      pipes: [pipe('0:1', '1:0')],
    });
    const { value: error, ms } = await timed(() => run.catch((error: unknown) => error));
    expect(error).toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('abort ends all of them', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const run = sbx.engine
      .runGroup({
        programs: [program('deaf'), program('burn-cpu', ['60000']), program('fork-bomb', ['plain'])],
        signal,
      })
      .catch((error: unknown) => error);
    await sleep(paced(150));
    const { value: error, ms } = await timedByOthers(() => {
      controller.abort();
      return run;
    });
    expect(error).toBe(signal.reason);
    expect(ms).toBeLessThan(paced(100));
  });
});

/** `useEngine` looks for descriptors that are still open. */
it('files that one left as descriptors are closed when the group is aborted', async () => {
  const controller = new AbortController();
  const run = sbx.engine
    .runGroup({
      programs: [
        program('write-file', ['out', '10'], { copyOut: [{ path: 'out', as: 'fd' }] }),
        program('sleep-ms', ['60000']),
      ],
      signal: controller.signal,
    })
    .catch((error: unknown) => error);
  await sleep(paced(300));
  controller.abort();
  expect(await run).toBe(controller.signal.reason);
});

describe('refused before anything starts', () => {
  const two = [program('true'), program('true')];
  const cases: [string, Parameters<typeof sbx.engine.runGroup>[0]][] = [
    ['no programs', { programs: [] }],
    ['an index that is not there', { programs: two, pipes: [pipe('0:1', '2:0')] }],
    ['a negative descriptor', { programs: two, pipes: [pipe('0:-1', '1:0')] }],
    ['a descriptor past 255', { programs: two, pipes: [pipe('0:256', '1:0')] }],
    ['one descriptor for two pipes', { programs: two, pipes: [pipe('0:1', '1:0'), pipe('0:1', '1:3')] }],
    [
      'a recording beside a relay',
      { programs: two, pipes: [pipe('0:1', '1:0', { relay: true, record: { maxBytes: 1 } })] },
    ],
    ['a bound that is none', { programs: two, pipes: [pipe('0:1', '1:0', { record: { maxBytes: -1 } })] }],
    [
      'a descriptor that has its own input',
      {
        programs: [program('true'), program('true', [], { stdin: { text: 'x' } })],
        pipes: [pipe('0:1', '1:0')],
      },
    ],
  ];
  it.each(cases)('%s', async (_, request) => {
    const started = sbx.engine.counters().startedTotal;
    await expect(sbx.engine.runGroup(request)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
    expect(sbx.engine.counters().startedTotal).toBe(started);
  });
});
