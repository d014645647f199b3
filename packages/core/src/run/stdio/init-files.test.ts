import { describe, expect, it, vi } from 'vitest';
import { CopyOutBudget } from '../../files/copy-out-budget.js';
import type { FailedMessage } from '../../native/native.js';
import { OUTPUTS_MAX } from '../../native/tables.js';
import { Output } from '../../streams/output.js';
import { type CollectedFile, InitFiles, type InitFilesOptions } from './init-files.js';

const FOLDER = {
  trees: [
    { target: '/w', fd: 3 },
    { target: '/tmp', fd: 4 },
  ],
  checkOpen: () => {
    throw new Error('closed');
  },
} as unknown as InitFilesOptions['folder'];

const filesOf = (more: Partial<InitFilesOptions> = {}) =>
  new InitFiles({ folder: FOLDER, makesOutputs: true, files: undefined, ...more });
const spec = (file: string, collect: Partial<CollectedFile['collect']> = {}): CollectedFile => ({
  file,
  collect: { maxBytes: 5, ...collect },
});
const budget = (bytes?: number) => new CopyOutBudget(bytes);
const unread = vi.fn(() => expect.unreachable());

describe('a file that init makes', () => {
  it('is named by its tree and its path there, with its mode and its form', () => {
    const files = filesOf();
    expect(files.add(1, spec('out'))).toBe(0);
    expect(files.add(2, { ...spec('/tmp/a/err', { as: 'fd' }), mode: 0o600 })).toBe(1);
    expect(files.rows).toEqual([0, 0o644, 0, 1, 0o600, 1]);
    expect(files.paths).toEqual(['out', 'a/err']);
  });

  it('is the host’s to make where init cannot, and where others may be in its way', () => {
    expect(filesOf({ makesOutputs: false }).add(1, spec('out'))).toBeNull();
    expect(filesOf({ files: { 'out/x': 'y' } }).add(1, spec('out'))).toBeNull();
    expect(filesOf({ files: { a: 'y' } }).add(1, spec('a/out'))).toBeNull();
    expect(filesOf({ files: { b: 'y' } }).add(1, spec('out'))).toBe(0);
    expect(filesOf().add(1, spec('/etc/out'))).toBeNull();
    const full = filesOf();
    for (let n = 0; n < OUTPUTS_MAX; n += 1) expect(full.add(n, spec(`f${n}`))).toBe(n);
    expect(full.add(99, spec('one-more'))).toBeNull();
  });
});

describe('what is collected', () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));

  it('is cut at its own bound, and at what is left for all', () => {
    const files = filesOf();
    files.add(1, spec('a'));
    files.add(2, spec('b'));
    const left = budget(8);
    const [[one, first], [two, second]] = files.collect(
      [bytes('1234567'), bytes('1234567')],
      left,
      unread,
    ) as [[number, Output], [number, Output]];
    expect([one, first.text(), first.totalBytes, first.truncated]).toEqual([1, '12345', 7, true]);
    expect([two, second.text(), second.totalBytes]).toEqual([2, '123', 7]);
    expect(left.leftBytes).toBe(0);
  });

  it('is empty where nothing was written, and read where it is open; the reader closes it', () => {
    const files = filesOf();
    files.add(1, spec('a'));
    files.add(2, spec('b'));
    const reported = [null, 44];
    const read = vi.fn(() => new Output(bytes('large')));
    const [[, empty], [, large]] = files.collect(reported, budget(), read) as [
      [number, Output],
      [number, Output],
    ];
    expect([empty.totalBytes, large.text()]).toEqual([0, 'large']);
    expect(read).toHaveBeenCalledWith(44, { maxBytes: 5 });
    expect(reported).toEqual([null, null]);
  });

  it('is nothing when init died and the sandbox is closed', () => {
    const files = filesOf();
    files.add(1, spec('a'));
    expect(files.collect(undefined, budget(), unread).map(([, output]) => output.totalBytes)).toEqual([0]);
  });
});

it('a file that cannot be made is told by its path', () => {
  const files = filesOf();
  files.add(1, spec('sub/out'));
  const failed = (stage: string, index: number) => ({ stage, index, errno: 13 }) as unknown as FailedMessage;
  expect(files.error(failed('output', 0))).toMatchObject({ operation: 'write', path: 'sub/out' });
  expect(files.error(failed('output', 5))).toBeNull();
  expect(files.error(failed('exec', 0))).toBeNull();
});
