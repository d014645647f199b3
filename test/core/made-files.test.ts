// Files that init makes for a program: small inputs, which go along with the start, and collected outputs,
// which come with the report.
import { closeSync, readFileSync } from 'node:fs';
import type { FdSpec, OneShotOptions, Output } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine, withEngine } from '../helpers/engine.js';
import { descendants } from '../helpers/proc.mjs';
import { until } from '../helpers/wait.js';

const sbx = useEngine();
const shell = (script: string, options?: OneShotOptions) =>
  sbx.engine.run('/bin/sh', ['-c', script], options);

/** Bytes of every kind, different in each place. */
const content = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
const collected = (file: string, as: 'bytes' | 'fd' = 'bytes') =>
  ({ file, collect: { maxBytes: 10 * MiB, as } }) as const;

function bytesOf({ bytes, fd }: Output): Uint8Array {
  if (fd === null) return bytes;
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

describe('what comes out is what went in', () => {
  // About what an input along with the start (8 KiB) and all outputs in a report (16 KiB) come to.
  const sizes = [0, 1, 8 * KiB - 1, 8 * KiB, 8 * KiB + 1, 15 * KiB, 16 * KiB, 16 * KiB + 1, 100 * KiB];

  it.each(sizes.flatMap((size) => [[size, 'bytes'] as const, [size, 'fd'] as const]))(
    '%d bytes, as %s',
    async (size, as) => {
      const stdin = { bytes: content(size), seekable: true };
      const { status, stdout } = await sbx.engine.run('/bin/cat', [], { stdin, stdout: collected('o', as) });
      expect([status, stdout.totalBytes, stdout.truncated, stdout.fd !== null]).toEqual([
        'ok',
        size,
        false,
        as === 'fd',
      ]);
      expect(Buffer.compare(bytesOf(stdout), content(size))).toBe(0);
    },
  );

  it('with more of them than init makes, small and large, as bytes and as descriptors', async () => {
    const fds: Record<number, FdSpec> = {};
    const sizeOf = (n: number) => (n % 3 === 0 ? 0 : n % 3 === 1 ? n * 500 : n * 5000);
    for (let n = 0; n < 12; n += 1) {
      fds[10 + n] = { input: { bytes: content(sizeOf(n)), seekable: true } };
      fds[30 + n] = { output: collected(`out.${n}`, n % 4 === 3 ? 'fd' : 'bytes') };
    }
    const script =
      'n=0; while [ $n -lt 12 ]; do cat /proc/self/fd/$((10 + n)) > /proc/self/fd/$((30 + n)); n=$((n + 1)); done';
    const { status, outputs, stderr } = await shell(script, { fds });
    expect([status, stderr.text()]).toEqual(['ok', '']);
    for (let n = 0; n < 12; n += 1) {
      expect(Buffer.compare(bytesOf(outputs[30 + n]!), content(sizeOf(n)))).toBe(0);
    }
  });

  it('with two descriptors of one file, and two files of one name', async () => {
    const fds = { 3: { output: { sameAs: 1 } }, 4: { output: collected('o') } };
    const { stdout, outputs } = await shell('echo a; echo b >&3', { stdout: collected('o'), fds });
    expect([stdout.text(), outputs[4]!.text()]).toEqual(['a\nb\n', 'a\nb\n']);
  });
});

describe('an output', () => {
  it('is cut at its bound', async () => {
    const stdout = { file: 'o', collect: { maxBytes: 3 } };
    const { stdout: cut } = await shell('echo 12345', { stdout });
    expect([cut.text(), cut.totalBytes, cut.droppedBytes]).toEqual(['123', 6, 3]);
  });

  it('is the program’s own, with the mode asked for', async () => {
    const fds = { 3: { output: { ...collected('p'), mode: 0o750 } } };
    const script = 'id -u >&2; stat -c "%a %u %g" o p >&2; chmod 600 o && echo changed >&2';
    const { stderr } = await shell(script, { stdout: collected('o'), fds });
    const [id, ...rest] = stderr.text().trimEnd().split('\n');
    expect(rest).toEqual([`644 ${id} ${id}`, `750 ${id} ${id}`, 'changed']);
  });

  it('may be where files bring the folder, or a link leads', async () => {
    const files = { 'd/in': 'x', l: { symlink: '/tmp' } };
    const fds = { 3: { output: collected('l/far') }, 4: { output: collected('/dev/shm/near') } };
    const { stdout, outputs } = await shell('echo 1; echo 2 >&3; echo 3 >&4; cat /tmp/far', {
      files,
      fds,
      stdout: collected('d/out'),
    });
    expect([stdout.text(), outputs[3]!.text(), outputs[4]!.text()]).toEqual(['1\n2\n', '2\n', '3\n']);
  });

  it.each<[string, string, OneShotOptions['files'], string]>([
    ['in no folder', 'no/o', {}, 'SBX_FILE_NOT_FOUND'],
    ['where files would put a folder', 'd', { 'd/in': 'x' }, 'SBX_FILE_NOT_FOLDER'],
    ['in what files make a file', 'f/o', { f: 'x' }, 'SBX_FILE_NOT_FOLDER'],
    ['where no tree is', '/usr/o', {}, 'SBX_FILE_OUTSIDE'],
  ])('%s is refused, by its path', async (_, path, files, code) => {
    for (const start of ['run', 'spawn'] as const) {
      const made = sbx.engine[start](t('true'), [], { stdout: collected(path), files });
      await expect(made).rejects.toMatchObject({ code, operation: expect.any(String) });
    }
    expect((await sbx.engine.run(t('true'))).status).toBe('ok');
  });

  it('of a program that ran out of memory is there', async () => {
    const limits = { memoryBytes: 16 * MiB };
    const script = `echo said; exec ${t('hold-memory')} private ${64 * MiB}`;
    const { status, stdout } = await shell(script, { stdout: collected('o'), limits });
    expect([status, stdout.text()]).toEqual(['memory-limit', 'said\n']);
  });

  it.each(['bytes', 'fd'] as const)('whose init cannot tell is found by its name, as %s', (as) =>
    withEngine({ parallelism: 2 }, async (engine) => {
      const stop = new AbortController();
      const options = {
        stdout: collected('o', as),
        stderr: collected('gone'),
        signal: stop.signal,
        onAbort: 'resolve',
      } as const;
      const script = `echo said; echo lost >&2; rm gone; exec ${t('sleep-ms')} 60000`;
      const running = engine.run('/bin/sh', ['-c', script], options);
      await until(2000, 'it runs', () => descendants().some((row) => row.name === 'sleep-ms'));
      process.kill(descendants().find((row) => row.name === 'sleep-ms')!.parent, 'SIGSTOP');
      stop.abort();
      const { status, stdout, stderr } = await running;
      expect([status, Buffer.from(bytesOf(stdout)).toString(), stderr.totalBytes]).toEqual([
        'killed',
        'said\n',
        0,
      ]);
    }),
  );
});

it('without /proc, small inputs are files as well', () =>
  withEngine({ proc: 'none' }, async (engine) => {
    const stdin = { text: 'text', seekable: true };
    const { stdout } = await engine.run('/bin/sh', ['-c', 'read a; echo $a'], {
      stdin,
      stdout: collected('o'),
    });
    expect(stdout.text()).toBe('text\n');
  }));
