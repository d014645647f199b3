import { existsSync, mkdtempSync, openSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Output, type OutputFile, type RunResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { collectOutputs, makeCopyOut } from './collect-outputs.js';
import type { CopyOutEntry, JobProgram } from './job.js';
import type { RunScope } from './scope.js';
import type { Collector } from './stdio.js';

const entry = (name: string, more: Partial<CopyOutEntry> = {}): CopyOutEntry => ({
  name,
  optional: false,
  cached: false,
  returned: true,
  ...more,
});

function programOf(copyOut: CopyOutEntry[], more: Partial<JobProgram> = {}): JobProgram {
  return {
    copyOut,
    copyOutMax: 100,
    truncate: false,
    tty: false,
    cachedNames: new Set(),
    ...more,
  } as JobProgram;
}

describe('makeCopyOut', () => {
  it('has one entry per place, however often and in whatever spelling it is named', () => {
    const entries = [entry('a', { optional: true }), entry('./a'), entry('/w/a', { cached: true })];
    for (const copyOut of [entries, [...entries].reverse()]) {
      expect(makeCopyOut(programOf(copyOut), '/w')).toEqual([
        { path: 'a', optional: false, maxBytes: 100, truncate: false, as: 'fd' },
      ]);
    }
  });

  it('is optional when all that name it say so, and leaves out what is no file', () => {
    const program = programOf([entry('a', { optional: true }), entry('.'), entry('b\0')], { truncate: true });
    expect(makeCopyOut(program, '/w')).toEqual([
      { path: 'a', optional: 'any', maxBytes: 100, truncate: true, as: 'bytes' },
    ]);
  });
});

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const file = (path: string, text: string) => ({
  path,
  bytes: bytesOf(text),
  sizeBytes: text.length,
  fd: null,
});

const NOTHING = new Output(new Uint8Array(0));

interface Left {
  files?: OutputFile[];
  fileErrors?: RunResult['fileErrors'];
  outputs?: Record<number, Output>;
}

async function collected(
  program: JobProgram,
  left: Left | null,
  { total = 10 ** 6, collectors = [] }: Rest = {},
) {
  const stored: string[] = [];
  const scope = {
    settings: { workDir: '/w' },
    budget: { totalBytes: total, shareBytes: total, leftBytes: total },
    store: {
      add: async (name: string) => {
        if (name === 'refused') throw new Error('the store is full');
        return `id${stored.push(name)}`;
      },
    },
  } as unknown as RunScope;
  const result = left && {
    files: Object.fromEntries((left.files ?? []).map((one) => [(one as { path: string }).path, one])),
    fileErrors: left.fileErrors ?? [],
    outputs: left.outputs ?? {},
    stdout: NOTHING,
    stderr: NOTHING,
  };
  const { files, fileIds, fileErrors, failure } = await collectOutputs(
    scope,
    program,
    collectors,
    result as unknown as RunResult,
  );
  const texts = Object.fromEntries([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
  return { texts, ids: Object.fromEntries(fileIds), errors: fileErrors, failure, stored };
}

interface Rest {
  total?: number;
  collectors?: Collector[];
}

const stdout: Collector = { kind: 'collector', name: 'stdout', max: 5, pipe: false, fd: 1 };

describe('files', () => {
  it('come under the names that asked for them', async () => {
    const program = programOf([entry('./a'), entry('/tmp/b')]);
    const { texts, errors } = await collected(program, {
      files: [file('a', 'A'), file('/tmp/b', 'B')] as never,
    });
    expect(texts).toEqual({ './a': 'A', '/tmp/b': 'B' });
    expect(errors).toEqual([]);
  });

  it.each([
    ['a', undefined, 'CopyOutOpen', 'open a: no such file or directory'],
    ['a', { code: 'not-found', errno: 13 }, 'CopyOutOpen', 'lstat a: permission denied'],
    ['a', { code: 'not-regular' }, 'CopyOutOpen', 'a is not a regular file'],
    [
      'a',
      { code: 'too-large', sizeBytes: 200 },
      'CopyOutSizeExceeded',
      'copyout: "a" size (200) exceeds limit (100)',
    ],
    ['.', undefined, 'CopyOutOpen', '. is not a regular file'],
    ['/dev/null', undefined, 'CopyOutOpen', '/dev/null is not a regular file'],
  ])('%s that cannot be taken (%j)', async (name, error, type, message) => {
    const fileErrors = error === undefined ? [] : [{ path: name, ...error }];
    const { errors } = await collected(programOf([entry(name)]), { fileErrors: fileErrors as never });
    expect(errors).toEqual([{ name, type, message }]);
  });

  it('of as many that are missing as may be asked for, it is done in time', async () => {
    const names = Array.from({ length: 50_000 }, (_, at) => `${at}`);
    const fileErrors = names.map((path) => ({ path, code: 'not-found', errno: 13 }));
    const before = process.cpuUsage();
    const { errors } = await collected(programOf(names.map((name) => entry(name))), {
      fileErrors: fileErrors as never,
    });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
    expect(errors.at(-1)).toEqual({
      name: '49999',
      type: 'CopyOutOpen',
      message: 'lstat 49999: permission denied',
    });
  });

  it('that are optional may be missing', async () => {
    expect((await collected(programOf([entry('a', { optional: true })]), {})).errors).toEqual([]);
  });

  it('that another entry returns are not returned again, but their errors are told', async () => {
    const program = programOf([entry('a'), entry('a', { returned: false })]);
    expect((await collected(program, { files: [file('a', 'A')] as never })).texts).toEqual({ a: 'A' });
    expect((await collected(program, {})).errors).toHaveLength(2);
  });

  it('go to the store, whose refusal is an error of the file', async () => {
    const copyOut = [entry('kept', { cached: true }), entry('refused', { cached: true })];
    const program = programOf(copyOut, { cachedNames: new Set(['kept', 'refused']) });
    const files = [file('kept', 'A'), file('refused', 'B')] as never;
    const { texts, ids, errors } = await collected(program, { files });
    expect([texts, ids]).toEqual([{}, { kept: 'id1' }]);
    expect(errors).toEqual([{ name: 'refused', type: 'CopyOutCreateFile', message: 'the store is full' }]);
  });

  it('that are asked for both ways come both ways, no more of them than their bound', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sbx-collect-'));
    const path = join(folder, 'a');
    writeFileSync(path, 'x'.repeat(150));
    const taken = { path: 'a', bytes: new Uint8Array(0), sizeBytes: 150, fd: openSync(path, 'r') };
    const copyOut = [entry('a'), entry('a', { cached: true })];
    const program = programOf(copyOut, { cachedNames: new Set(['a']), truncate: true });
    const { texts, ids, errors } = await collected(program, { files: [taken] as never });
    expect([texts, ids, errors]).toEqual([{ a: 'x'.repeat(100) }, { a: 'id1' }, []]);
    expect(existsSync(`/proc/self/fd/${taken.fd}`) && readlinkSync(`/proc/self/fd/${taken.fd}`)).not.toBe(
      path,
    );
    rmSync(folder, { recursive: true });
  });

  it('beyond what a request may bring out are refused by the flag’s name; each costs a page at least', async () => {
    const program = programOf([entry('a'), entry('b')]);
    const files = [file('a', 'A'), file('b', 'B')] as never;
    const { texts, errors } = await collected(program, { files }, { total: 4096 + 4095 });
    expect(texts).toEqual({ a: 'A' });
    expect(errors).toEqual([
      {
        name: 'b',
        type: 'CopyOutSizeExceeded',
        message:
          'copyout: "b" size (1) exceeds what is left of all a request may copy out (8191, -copy-out-total)',
      },
    ]);
  });
});

describe('collectors', () => {
  const outputs = (text: string, totalBytes?: number) => ({ 1: new Output(bytesOf(text), totalBytes) });

  it('bring what was written', async () => {
    const { texts, failure } = await collected(
      programOf([]),
      { outputs: outputs('12345') },
      { collectors: [stdout] },
    );
    expect([texts, failure]).toEqual([{ stdout: '12345' }, null]);
  });

  it('beyond their bound bring what was kept, and the limit', async () => {
    const left = { outputs: outputs('123456', 9) };
    const { texts, failure, errors } = await collected(programOf([]), left, { collectors: [stdout] });
    expect(texts.stdout).toBe('123456');
    expect(failure).toMatchObject({ status: 'Output Limit Exceeded' });
    expect(errors).toEqual([
      { name: 'stdout', type: 'CollectSizeExceeded', message: 'Output Limit Exceeded' },
    ]);
  });

  it('of a program that was not started are there, empty', async () => {
    expect((await collected(programOf([]), null, { collectors: [stdout] })).texts).toEqual({ stdout: '' });
  });

  it('are counted before files, and stored where a stored file of that name is asked for', async () => {
    const program = programOf([entry('a')], { cachedNames: new Set(['stdout']) });
    const left = { outputs: outputs('12345'), files: [file('a', 'A')] as never };
    const { ids, texts, errors } = await collected(program, left, { total: 4098, collectors: [stdout] });
    expect([ids, texts]).toEqual([{ stdout: 'id1' }, {}]);
    expect(errors.map(({ name }) => name)).toEqual(['a']);
  });
});
