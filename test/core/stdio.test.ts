// Every way in and every way out of a program.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { InputSpec, InputStream, OneShotOptions, OutputStream, RunResult } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine } from '../helpers/engine.js';
import { processesOfUids } from '../helpers/proc.mjs';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

/** As `sum-fd` prints it. */
function sum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${bytes.length} ${(hash >>> 0).toString(16).padStart(8, '0')}\n`;
}

function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
}

const large = pattern(10 * MiB);
const nothing = sum(new Uint8Array(0));
const abc = sum(Buffer.from('abc'));

let folder: string;
let hostFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stdio-test-'));
  hostFile = join(folder, 'input.bin');
  writeFileSync(hostFile, large);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function* slowly(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) {
    await sleep(5);
    yield chunk;
  }
}

describe('stdin', () => {
  const cases: [title: string, stdin: () => InputSpec | undefined, expected: string][] = [
    ['default: empty', () => undefined, nothing],
    ['empty', () => 'empty', nothing],
    ['null', () => 'null', nothing],
    ['text', () => ({ text: 'abc' }), abc],
    ['text, no byte of it', () => ({ text: '' }), nothing],
    ['text beyond ASCII', () => ({ text: 'žluť' }), sum(Buffer.from('žluť'))],
    ['bytes, any of them', () => ({ bytes: pattern(256) }), sum(pattern(256))],
    ['bytes, 10 MiB', () => ({ bytes: large }), sum(large)],
    ['a file of the host, 10 MiB', () => ({ hostFile }), sum(large)],
    ['a file of the work folder', () => ({ file: 'in.txt' }), abc],
    ['a stream', () => ({ stream: slowly('a', Buffer.from('b'), 'c') }), abc],
    ['a stream of nothing', () => ({ stream: slowly() }), nothing],
  ];
  it.each(cases)('%s', async (_, stdin, expected) => {
    const result = await sbx.engine.run(t('sum-fd'), ['0'], { stdin: stdin(), files: { 'in.txt': 'abc' } });
    expect(result.stdout.text()).toBe(expected);
    expect(result.status).toBe('ok');
  });

  it('an open descriptor of the host, from its start, and it stays open', async () => {
    const fd = openSync(hostFile, 'r');
    try {
      for (let i = 0; i < 2; i++) {
        const result = await sbx.engine.run(t('sum-fd'), ['0'], { stdin: { fd } });
        expect(result.stdout.text()).toBe(sum(large));
      }
    } finally {
      closeSync(fd); // throws if somebody closed it
    }
  });

  it('10 MiB that nobody reads do no harm', async () => {
    const result = await sbx.engine.run(t('exit-with'), ['3'], { stdin: { bytes: large } });
    expect(result.exitCode).toBe(3);
  });

  it('10 MiB that are closed unread do no harm', async () => {
    const result = await sbx.engine.run(t('close-all'), ['20'], { stdin: { stream: slowly(large) } });
    expect(result.exitCode).toBe(5);
  });

  it('an endless stream ends with the program', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(64 * KiB);
      } finally {
        ended = true;
      }
    }
    const result = await sbx.engine.run(t('exit-with'), ['0'], { stdin: { stream: endless() } });
    expect(result.status).toBe('ok');
    await until(1000, 'the generator is told', () => ended);
  });

  it.each<[string, () => { stream: AsyncIterable<Uint8Array>; isOver: () => boolean }]>([
    [
      'of Node',
      () => {
        const stream = new PassThrough();
        return { stream, isOver: () => stream.destroyed };
      },
    ],
    [
      'of the Web',
      () => {
        let isOver = false;
        const cancel = () => {
          isOver = true;
        };
        const stream = new ReadableStream<Uint8Array>({ cancel });
        return { stream: stream as unknown as AsyncIterable<Uint8Array>, isOver: () => isOver };
      },
    ],
  ])('a stream %s that gives nothing ends with the program', async (_, make) => {
    const { stream, isOver } = make();
    const result = await sbx.engine.run(t('exit-with'), ['0'], { stdin: { stream } });
    expect(result.status).toBe('ok');
    await until(1000, 'the stream is told', isOver);
  });

  it('a stream that throws ends the run and rejects it', async () => {
    async function* broken() {
      yield 'a';
      throw new RangeError('mine');
    }
    const run = sbx.engine.run(t('sum-fd'), ['0'], { stdin: { stream: broken() } });
    await expect(run).rejects.toMatchObject({ code: 'SBX_STREAM_SOURCE', cause: new RangeError('mine') });
  });

  it.each<unknown>([5, null, {}, [1], new ArrayBuffer(2)])(
    'a stream of %j is told, and waits for nothing',
    async (chunk) => {
      async function* odd() {
        yield 'a';
        yield chunk as string;
      }
      const run = sbx.engine.run(t('sum-fd'), ['0'], { stdin: { stream: odd() } });
      await expect(run).rejects.toMatchObject({
        code: 'SBX_STREAM_SOURCE',
        cause: { code: 'SBX_INVALID_OPTIONS', field: 'data' },
      });
    },
  );

  it('pipe: what is no bytes is refused, and the next write goes on', async () => {
    await using process = await sbx.engine.spawn(t('sum-fd'), ['0'], { stdin: 'pipe' });
    await expect(process.stdin.write(5 as never)).rejects.toMatchObject({ field: 'data' });
    await process.stdin.write('ab');
    await process.stdin.end(new Uint16Array([1]) as never);
    const sent = await sbx.engine.run(t('sum-fd'), ['0'], { stdin: { bytes: Uint8Array.of(97, 98, 1, 0) } });
    expect((await process.result).stdout.text()).toBe(sent.stdout.text());
  });

  it('a file of /proc has a content, though no size', async () => {
    const { stdout } = await sbx.engine.run('/bin/cat', [], { stdin: { hostFile: '/proc/self/mountinfo' } });
    expect(stdout.text()).toContain(' / ');
  });

  it('pipe: written piece by piece, with back pressure', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('sum-fd'), ['0'], { stdin: 'pipe' });
    for (let at = 0; at < large.length; at += MiB) await program.stdin!.write(large.subarray(at, at + MiB));
    await program.stdin!.end();
    expect((await program.result).stdout.text()).toBe(sum(large));
  });

  it('pipe: a write waits while the program does not read', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('sleep-ms'), ['60000'], { stdin: 'pipe' });
    let accepted = 0;
    const writing = (async () => {
      for (;;) {
        await program.stdin!.write(large.subarray(0, 64 * KiB));
        accepted += 64 * KiB;
      }
    })().catch((error: unknown) => error);
    await sleep(200);
    expect(accepted).toBeLessThanOrEqual(4 * MiB);
    program.kill();
    expect(await writing).toMatchObject({ code: expect.stringMatching(/^SBX_(STREAM_ENDED|CLOSED)$/) });
  });

  it('pipe: writing after the end of the program is an error of that write alone', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('true'), [], { stdin: 'pipe' });
    expect((await program.result).status).toBe('ok');
    await expect(program.stdin!.write('late')).rejects.toMatchObject({ code: 'SBX_STREAM_ENDED' });
  });

  it('pipe: writing after end() is told as what it is', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('sleep-ms'), ['9999'], { stdin: 'pipe' });
    await program.stdin!.end();
    await program.stdin!.end();
    const late = program.stdin!.write('late');
    await expect(late).rejects.toMatchObject({ code: 'SBX_STREAM_ENDED', message: /after end\(\)/ });
  });
});

describe('stdout and stderr', () => {
  const run = (program: string, args: string[], options?: OneShotOptions) =>
    sbx.engine.run(t(program), args, options);

  it('are captured apart', async () => {
    const { stdout, stderr } = await run('write-both', ['3']);
    expect([stdout.text(), stderr.text()]).toEqual(['o1 o2 o3 ', 'e1 e2 e3 ']);
  });

  it('merged, they keep the order of the program', async () => {
    const { stdout, stderr } = await run('write-both', ['500'], { stderr: 'stdout' });
    const expected = Array.from({ length: 500 }, (_, i) => `o${i + 1} e${i + 1} `).join('');
    expect([stdout.text(), stderr.text()]).toEqual([expected, '']);
  });

  it('null keeps nothing and lets the program write', async () => {
    const { status, stdout } = await run('flood', ['1', String(5 * MiB)], { stdout: 'null' });
    expect([status, stdout.totalBytes]).toEqual(['ok', 0]);
  });

  it('into a file of the work folder', async () => {
    const options: OneShotOptions = {
      stdout: { file: 'out/o' },
      stderr: { file: 'e' },
      files: { 'out/.keep': '' },
    };
    const result = await run('write-both', ['2'], { ...options, copyOut: ['out/o', 'e'] });
    expect([result.files['out/o']!.text(), result.files.e!.text()]).toEqual(['o1 o2 ', 'e1 e2 ']);
  });

  it('into a file that was there: it is cut first', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { o: 'a long line from before\n' } });
    await sandbox.run(t('write-both'), ['1'], { stdout: { file: 'o' } });
    expect(await sandbox.readTextFile('o')).toBe('o1 ');
  });

  it('both into one file', async () => {
    const result = await run('write-both', ['2'], {
      stdout: { file: 'o' },
      stderr: 'stdout',
      copyOut: ['o'],
    });
    expect(result.files.o!.text()).toBe('o1 e1 o2 e2 ');
  });

  it('capture is bounded and counts what it dropped', async () => {
    const { stdout } = await run('flood', ['1', '70000'], { limits: { outputBytes: 1000 } });
    expect(stdout.bytes.byteLength).toBe(1000);
    expect(stdout.truncated).toBe(true);
    expect(stdout.totalBytes).toBe(1000 + stdout.droppedBytes);
  });

  it('1 MiB arrives whole', async () => {
    const { stdout } = await run('flood', ['1', String(MiB)], { limits: { outputBytes: MiB } });
    expect(stdout.bytes.byteLength).toBe(MiB);
    expect(stdout.text().slice(-64)).toBe(stdout.text().slice(0, 64));
  });

  it('all bytes come through unchanged', async () => {
    const { stdout } = await run('copy-fd', ['0', '1'], { stdin: { bytes: pattern(MiB) } });
    expect(Buffer.compare(stdout.bytes, pattern(MiB))).toBe(0);
  });

  it('the end does not wait for an orphan that holds them', async () => {
    const { value, ms, stolenMs } = await timed(() => run('leave-orphan', ['sleep', '3000']));
    expect([value.status, value.stdout.text()]).toEqual(['ok', '']);
    expect(ms - stolenMs).toBeLessThan(300);
  });

  it('closed by the program, the run goes on to its end', async () => {
    const { value, ms } = await timed(() => run('close-all', ['100']));
    expect(value.exitCode).toBe(5);
    expect(ms).toBeGreaterThan(100);
  });
});

describe('callbacks', () => {
  it('get every chunk, and the capture too', async () => {
    const seen: Uint8Array[] = [];
    const result = await sbx.engine.run(t('flood'), ['1', '200000'], {
      onStdout: (chunk) => seen.push(chunk.slice()),
    });
    expect(Buffer.concat(seen).toString()).toBe(result.stdout.text());
    expect(result.stdout.totalBytes).toBe(200_000);
  });

  it.each(['throws', 'rejects'])('one that %s ends the run and rejects it', async (how) => {
    const run = sbx.engine.run(t('flood'), ['1', '0'], {
      limits: { outputBytes: null, wallTimeMs: 10_000 },
      onStdout: () => {
        if (how === 'throws') throw new RangeError('mine');
        return Promise.reject(new RangeError('mine'));
      },
    });
    await expect(run).rejects.toMatchObject({ code: 'SBX_STREAM_CALLBACK', cause: new RangeError('mine') });
  });
});

describe('a callback that throws at the last chunk', () => {
  it.each(['fresh', 'kept'])('rejects, however soon the program has ended (%s sandbox)', async (which) => {
    await using sandbox = await sbx.engine.createSandbox();
    const where = which === 'fresh' ? sbx.engine : sandbox;
    const onStdout = () => {
      throw new RangeError('mine');
    };
    for (let count = 0; count < 60; count += 1)
      await expect(where.run('/bin/echo', ['x'], { onStdout })).rejects.toMatchObject({
        code: 'SBX_STREAM_CALLBACK',
      });
    expect((await where.run('/bin/echo', ['x'])).stdout.text()).toBe('x\n');
  });
});

describe('pipes', () => {
  it('back pressure: a program nobody reads stands still, and goes on when somebody does', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const options = { stdout: 'pipe', limits: { fileBytes: null } } as const;
    await using program = await sandbox.spawn(t('flood'), ['1', '0', 'progress'], options);
    const progress = async () => Number(await sandbox.readTextFile('progress').catch(() => '0'));
    await until(2000, 'the pipe is full', async () => (await progress()) > 0);
    await sleep(100);
    const stuck = await progress();
    await sleep(200);
    expect(await progress()).toBe(stuck);
    expect(stuck).toBeLessThanOrEqual(2 * MiB);
    let read = 0;
    for await (const chunk of program.stdout!) {
      read += chunk.byteLength;
      if (read > stuck + 8 * MiB) break;
    }
    expect(await progress()).toBeGreaterThan(stuck + 6 * MiB);
    program.kill();
    expect((await program.result).status).toBe('killed');
  });

  it('are not bounded by outputBytes', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const options = { stdout: 'pipe', limits: { outputBytes: 10 } } as const;
    await using program = await sandbox.spawn(t('flood'), ['1', String(MiB)], options);
    let read = 0;
    for await (const chunk of program.stdout!) read += chunk.byteLength;
    expect([read, (await program.result).status]).toEqual([MiB, 'ok']);
  });

  it('what a program has the pipe keep apart comes together: no piece costs an event of its own', async () => {
    const code =
      'import fcntl, os; fcntl.fcntl(1, fcntl.F_SETFL, os.O_DIRECT)\nfor i in range(16): os.write(1, b"x")';
    await using program = await sbx.engine.spawn('/usr/bin/python3', ['-c', code], { stdout: 'pipe' });
    const { uidBase } = sbx.engine.info().user;
    while (processesOfUids(uidBase).some(({ name }) => name === 'python3')); // in one turn of the loop
    const sizes: number[] = [];
    for await (const { byteLength } of program.stdout!) sizes.push(byteLength);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(16);
    expect(sizes.length).toBeLessThan(4);
  });

  it('events: chunks in order, the exit last', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('write-both'), ['2'], { stdout: 'pipe', stderr: 'pipe' });
    const kinds: string[] = [];
    let out = '';
    for await (const event of program) {
      kinds.push(event.kind);
      if (event.kind === 'stdout') out += Buffer.from(event.bytes).toString();
    }
    expect(out).toBe('o1 o2 ');
    expect(kinds.at(-1)).toBe('exit');
    expect(kinds.filter((kind) => kind === 'exit')).toHaveLength(1);
  });

  it('a second reader is refused', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('flood'), ['1', '1000000'], { stdout: 'pipe' });
    const first = program.stdout![Symbol.asyncIterator]();
    await first.next();
    const second = async () => program.stdout![Symbol.asyncIterator]().next();
    await expect(second()).rejects.toMatchObject({ code: 'SBX_STREAM_BUSY' });
  });
});

describe('descriptors beyond 2', () => {
  it('in, out and through', async () => {
    const result = await sbx.engine.run(t('copy-fd'), ['5', '9'], {
      fds: { 5: { input: { text: 'through' } }, 9: { output: 'capture' } },
    });
    expect(result.outputs[9]!.text()).toBe('through');
  });

  it('pipes, also of the first three the other way round', async () => {
    const fds = { 0: { output: 'pipe' }, 1: { input: 'pipe' } } as const;
    await using program = await sbx.engine.spawn(t('copy-fd'), ['1', '0'], { fds });
    const { 0: out, 1: into } = program.fds as { 0: OutputStream; 1: InputStream };
    await into.end('round');
    expect(await out.text()).toBe('round');
    expect([program.stdin, program.stdout]).toEqual([null, null]);
  });

  it('are the only ones open', async () => {
    const fds = { 3: { input: 'null' }, 7: { output: 'null' }, 200: { input: { text: 'x' } } } as const;
    const result = await sbx.engine.run(t('list-fds'), [], { fds });
    expect(result.stdout.text()).toBe('0 1 2 3 7 200\n');
  });

  it('none but 0, 1 and 2 without them', async () => {
    expect((await sbx.engine.run(t('list-fds'))).stdout.text()).toBe('0 1 2\n');
  });

  it('a descriptor of the host as it is', async () => {
    const fd = openSync(hostFile, 'r');
    try {
      const result = await sbx.engine.run(t('sum-fd'), ['4'], { fds: { 4: { fd } } });
      expect(result.stdout.text()).toBe(sum(large));
    } finally {
      closeSync(fd);
    }
  });

  it('captures are bounded one by one', async () => {
    const result = await sbx.engine.run(t('flood'), ['6', '5000'], {
      fds: { 6: { output: 'capture' } },
      limits: { outputBytes: 100 },
    });
    expect(result.outputs[6]!.bytes.byteLength).toBe(100);
    expect(result.status).toBe('output-limit');
  });
});

describe('opened once more by name', () => {
  const script = 'echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin > /dev/fd/3';
  const expected = ['out\n', 'err\n', 'in'];
  const fds = { 3: { output: 'capture' } } as const;
  const stdin = { text: 'in' };
  const texts = ({ stdout, stderr, outputs }: RunResult) => [
    stdout.text(),
    stderr.text(),
    outputs[3]!.text(),
  ];

  it('pipes of a run', async () => {
    expect(texts(await sbx.engine.run('/bin/sh', ['-c', script], { stdin, fds }))).toEqual(expected);
  });

  it('pipes of a program in a session', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    expect(texts(await sandbox.run('/bin/sh', ['-c', script], { stdin, fds }))).toEqual(expected);
  });

  it('pipes between the programs of a group', async () => {
    const { results } = await sbx.engine.runGroup({
      programs: [
        { file: '/bin/sh', args: ['-c', 'echo hello > /dev/fd/3'] },
        { file: '/bin/cat', args: ['/dev/stdin'] },
      ],
      pipes: [{ from: { index: 0, fd: 3 }, to: { index: 1, fd: 0 } }],
    });
    expect(results[1]!.stdout.text()).toBe('hello\n');
  });
});
