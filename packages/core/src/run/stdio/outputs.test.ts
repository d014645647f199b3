// Outputs with a fake addon: what is opened and when, what ends the program, what is closed.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CopyOutBudget } from '../../files/copy-out-budget.js';
import type { WorkFolder } from '../../files/trees.js';
import { FD_NULL, type Native } from '../../native/native.js';
import { ChildDescriptors } from './child-descriptors.js';
import { Outputs } from './outputs.js';

interface Handlers {
  limitBytes: number;
  onOverflow: (() => void) | undefined;
}
class Reader {
  static all: Reader[] = [];
  close = vi.fn();
  finish = (): unknown[] => [Buffer.from('12345'), 9];
  readonly fd: number;
  readonly handlers: Handlers;
  constructor(fd: number, handlers: Handlers) {
    this.fd = fd;
    this.handlers = handlers;
    Reader.all.push(this);
  }
}

const onOverflow = vi.fn();

function outputsOf({ outputBytes = 100 as number | null, isLiving = false } = {}) {
  const waiting: Promise<void>[] = [];
  let next = 200;
  const there = new Set(['out', 'both']);
  const native = {
    pipe: () => [next++, next++],
    closeFds: vi.fn(),
    openOutput: vi.fn(({ path, collect }: { path: string; collect: boolean }) => {
      if (!there.has(path)) return -2;
      return collect ? [next++, next++] : next++;
    }),
    takeFile: vi.fn((_fd: number, maxBytes: number) => [Buffer.from('abcdef').subarray(0, maxBytes), 0, 6]),
    Reader,
  };
  const folder = {
    native,
    owner: 5,
    trees: [{ target: '/w', fd: 3 }],
    checkOpen: () => undefined,
    isLiving: () => isLiving,
    lastCall: null,
  };
  const descriptors = new ChildDescriptors(native as unknown as Native);
  const outputs = new Outputs(
    descriptors,
    {
      folder: folder as unknown as WorkFolder,
      makesOutputs: false,
      files: undefined,
      outputBytes,
      onOverflow,
      onData: () => undefined,
    },
    (opening) => waiting.push(opening),
  );
  return { waiting, outputs, native, there, rows: () => descriptors.rows(false) };
}

beforeEach(() => {
  Reader.all = [];
  vi.clearAllMocks();
});

it('nothing, and the null device, read nothing', () => {
  const { outputs, rows } = outputsOf();
  outputs.open(1, 'closed');
  outputs.open(2, 'null');
  expect(rows()).toEqual({ fdRows: [2, FD_NULL, 0], fds: [] });
  expect(Reader.all).toEqual([]);
});

describe('a capture', () => {
  it('has its own bound, or that of the program, and ends the program beyond it', () => {
    const { outputs } = outputsOf();
    outputs.open(1, 'capture');
    outputs.open(2, { capture: { maxBytes: 7 } });
    expect(Reader.all.map(({ handlers }) => handlers.limitBytes)).toEqual([100, 7]);
    Reader.all[1]!.handlers.onOverflow!();
    expect(onOverflow).toHaveBeenCalledOnce();
    expect(outputs.overflowed(outputs.collect(undefined, new CopyOutBudget(undefined)))).toBe(true);
  });

  it('without any bound has that of a buffer', () => {
    outputsOf({ outputBytes: null }).outputs.open(1, 'capture');
    expect(Reader.all[0]!.handlers.limitBytes).toBe(2 ** 31);
  });

  it('that discards the rest ends nothing', () => {
    const { outputs } = outputsOf();
    outputs.open(1, { capture: { maxBytes: 5, overflow: 'discard' } });
    expect(Reader.all[0]!.handlers.onOverflow).toBeUndefined();
    const collected = outputs.collect(undefined, new CopyOutBudget(undefined));
    expect([collected.get(1)!.truncated, outputs.overflowed(collected)]).toEqual([true, false]);
  });

  it('is closed unread when the run has failed', () => {
    const { outputs } = outputsOf();
    outputs.open(1, 'capture');
    outputs.drop();
    expect(Reader.all[0]!.close).toHaveBeenCalledOnce();
  });
});

describe('a descriptor that goes where another goes', () => {
  it('may name one that itself goes elsewhere, in any order', () => {
    const { outputs, rows } = outputsOf();
    outputs.open(2, { sameAs: 3 } as never);
    outputs.open(3, { sameAs: 1 } as never);
    outputs.open(1, 'null');
    outputs.finish();
    expect(rows().fdRows).toEqual([1, FD_NULL, 0, 3, FD_NULL, 0, 2, FD_NULL, 0]);
  });

  it.each([
    ['itself', [[1, 1]], 'options.stdout.sameAs'],
    [
      'one that leads back',
      [
        [4, 5],
        [5, 4],
      ],
      'options.fds[4].output.sameAs',
    ],
    ['one that the program has not', [[2, 9]], 'options.stderr.sameAs'],
  ])('%s is refused by name', (_, shares, field) => {
    const { outputs } = outputsOf();
    for (const [target, other] of shares) outputs.share(target!, other!);
    expect(() => outputs.finish()).toThrow(expect.objectContaining({ code: 'SBX_INVALID_OPTIONS', field }));
  });
});

describe('a file', () => {
  it('is opened at once, so that one which is copied in lies over it', () => {
    const { outputs, native, rows } = outputsOf();
    outputs.open(1, { file: 'out' });
    expect(native.openOutput).toHaveBeenCalledOnce();
    expect(rows().fds).toEqual([200]);
  });

  it('whose folder is missing waits until the work folder is filled', () => {
    const { outputs, there, rows } = outputsOf();
    outputs.open(1, { file: 'sub/out' });
    expect(rows().fds).toEqual([]);
    there.add('sub/out');
    expect(outputs.openPostponed()).toBeUndefined();
    expect(rows().fds).toEqual([200]);
  });

  it('beside living programs the start waits for it, also for one whose folder is missing', async () => {
    const { outputs, native, there, rows, waiting } = outputsOf({ isLiving: true });
    outputs.open(1, { file: 'out' });
    outputs.open(2, { file: 'sub/out', collect: { maxBytes: 4 } });
    expect(rows().fds).toEqual([]);
    await Promise.all(waiting);
    expect(rows().fds).toEqual([200]);
    there.add('sub/out');
    await outputs.openPostponed();
    expect(rows().fds).toEqual([200, 201]);
    expect(native.openOutput.mock.calls.every(([asked]) => 'later' in asked)).toBe(true);
  });

  it('whose folder never comes is told by its path', () => {
    const { outputs } = outputsOf();
    outputs.open(1, { file: 'sub/out' });
    expect(() => outputs.openPostponed()).toThrow(
      expect.objectContaining({ operation: 'write', path: 'sub/out', code: 'SBX_FILE_NOT_FOUND' }),
    );
  });

  it('that is collected is read within its bound and what is left for all, once', () => {
    const { outputs, native } = outputsOf();
    outputs.open(1, { file: 'out', collect: { maxBytes: 4 } });
    outputs.open(2, { file: 'both', collect: { maxBytes: 4 } });
    const budget = new CopyOutBudget(5);
    const texts = [...outputs.collect(undefined, budget).values()].map((output) => output.text());
    expect(texts).toEqual(['abcd', 'a']);
    expect(budget.leftBytes).toBe(0);
    outputs.drop();
    expect(native.closeFds).toHaveBeenLastCalledWith([]);
  });

  it('that is collected is closed unread when the run has failed', () => {
    const { outputs, native } = outputsOf();
    outputs.open(1, { file: 'out', collect: { maxBytes: 4 } });
    outputs.drop();
    expect(native.closeFds).toHaveBeenLastCalledWith([201]);
    expect(native.takeFile).not.toHaveBeenCalled();
  });
});
