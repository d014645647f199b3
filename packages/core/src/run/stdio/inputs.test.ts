import { closeSync, openSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { WorkFolder } from '../../files/trees.js';
import { FD_CONTENT, FD_NULL, type Native } from '../../native/native.js';
import { CONTENTS_MAX } from '../../native/tables.js';
import type { InputSpec } from '../../types/stdio.js';
import { ChildDescriptors } from './child-descriptors.js';
import { Inputs } from './inputs.js';

const KIB = 1024;

/** Real ones, since what is opened is looked at. */
const FILES: Record<string, number> = {
  there: openSync(process.execPath, 'r'),
  folder: openSync('/', 'r'),
  device: openSync('/dev/null', 'r'),
};
afterAll(() => Object.values(FILES).forEach(closeSync));

/** Pipes are 100 and 101, memory files 200 on. */
function inputsWith({ makesFiles = true } = {}) {
  const memory: number[] = [];
  const closed = vi.fn();
  class Writer {
    write = () => 0;
    close = closed;
  }
  const native = {
    pipe: () => [100, 101],
    memoryFile: (bytes: Uint8Array) => 199 + memory.push(bytes.byteLength),
    openBeneath: ({ path }: { path: string }) => FILES[path] ?? -2,
    closeFds: () => undefined,
    holdLoop: () => undefined,
    releaseLoop: () => undefined,
    Writer,
  } as unknown as Native;
  const folder = { native, trees: [{ target: '/w', fd: 3 }], isLiving: () => false } as unknown as WorkFolder;
  const descriptors = new ChildDescriptors(native);
  const inputs = new Inputs(descriptors, folder, makesFiles);
  return { inputs, memory, closed, rows: () => descriptors.rows(false) };
}

function opened(spec: InputSpec, options = {}) {
  const all = inputsWith(options);
  all.inputs.open(0, spec);
  return all;
}

describe('what is behind a descriptor', () => {
  it.each<[string, InputSpec, number]>([
    ['nothing', 'empty', FD_NULL],
    ['no text', { text: '' }, FD_NULL],
    ['no bytes', { bytes: new Uint8Array(0) }, FD_NULL],
  ])('%s is the null device', (_, spec, flags) => {
    expect(opened(spec).rows()).toEqual({ fdRows: [0, flags, 0], fds: [] });
  });

  it('a closed one is in no row', () => {
    expect(opened('closed').rows()).toEqual({ fdRows: [], fds: [] });
  });

  it('a large text is a memory file, which no pipe could hold', () => {
    const { memory, rows } = opened({ text: 'x'.repeat(65 * KIB) });
    expect(memory).toEqual([65 * KIB]);
    expect(rows().fds).toEqual([200]);
  });

  it('a small one that can be sought in is made by init, sent with the start', () => {
    const { inputs, memory, rows } = opened({ text: 'hello', seekable: true });
    expect(rows()).toEqual({ fdRows: [0, FD_CONTENT, 0], fds: [] });
    expect(inputs.contents.map((bytes) => Buffer.from(bytes).toString())).toEqual(['hello']);
    expect(memory).toEqual([]);
  });

  it('and by the host where init cannot, where it is large, and where there are many', () => {
    expect(opened({ text: 'hello', seekable: true }, { makesFiles: false }).memory).toEqual([5]);
    expect(opened({ text: 'x'.repeat(8 * KIB + 1), seekable: true }).memory).toEqual([8 * KIB + 1]);
    const { inputs, memory } = inputsWith();
    for (let target = 0; target <= CONTENTS_MAX; target += 1)
      inputs.open(target, { text: 'x', seekable: true });
    expect([inputs.contents.length, memory.length]).toEqual([CONTENTS_MAX, 1]);
  });
});

describe('files of the work folder', () => {
  it('are opened once it is filled', () => {
    const { inputs, rows } = opened({ file: 'there' });
    expect(rows().fds).toEqual([]);
    inputs.openFiles();
    expect(rows().fds).toEqual([FILES.there]);
  });

  it('that are missing are told by their names', () => {
    const { inputs } = opened({ file: 'missing' });
    expect(() => inputs.openFiles()).toThrow('"missing"');
  });

  it.each([
    ['folder', 'SBX_FILE_IS_FOLDER'],
    ['device', 'SBX_FILE_NOT_REGULAR'],
  ])('that are not regular are refused: a %s', (file, code) => {
    const { inputs } = opened({ file });
    expect(() => inputs.openFiles()).toThrow(
      expect.objectContaining({ code, path: file, operation: 'read' }),
    );
  });
});

describe('what the start waits for', () => {
  it('is nothing for most', () => {
    expect(opened({ text: 'x' }).inputs.waitForHost()).toBeUndefined();
  });

  it('are all, also when one fails: each may have opened something', async () => {
    const { inputs } = inputsWith();
    let finish: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      finish = resolve;
    });
    inputs.wait(Promise.reject(new Error('first')));
    inputs.wait(late);
    let isOver = false;
    const waiting = inputs.waitForHost()!.finally(() => {
      isOver = true;
    });
    const failed = expect(waiting).rejects.toThrow('first');
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    finish();
    await failed;
  });
});

describe('an iterable', () => {
  async function* source() {
    yield 'a';
    throw new Error('no more');
  }

  it('that throws is told to the run', async () => {
    const { inputs } = opened({ stream: source() });
    const told = await new Promise<Error>((resolve) => {
      inputs.start(resolve);
    });
    expect(told).toMatchObject({ code: 'SBX_STREAM_SOURCE', cause: new Error('no more') });
  });

  it('that throws once the program is gone is told to nobody', async () => {
    let fail = (_error: Error) => {};
    const late = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>((_, reject) => (fail = reject)) }),
    };
    const { inputs } = opened({ stream: late });
    const told = vi.fn();
    inputs.start(told);
    inputs.close();
    fail(new Error('late'));
    await new Promise(setImmediate);
    expect(told).not.toHaveBeenCalled();
  });

  it('is not read once the program is gone', () => {
    const { inputs, closed } = opened({ stream: source() });
    inputs.close();
    expect(closed).toHaveBeenCalled();
  });
});
