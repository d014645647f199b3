// All descriptors of a program with a fake addon: which is opened when, and what is closed in which case.
import { closeSync, openSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CopyOutBudget } from '../../files/copy-out-budget.js';
import type { WorkFolder } from '../../files/trees.js';
import { FD_NULL, type Native } from '../../native/native.js';
import type { ProgramOptions } from '../../types/program.js';
import { Stdio, type StdioOptions } from './stdio.js';

/** A real one: what is opened is looked at. */
const regularFile = openSync(process.execPath, 'r');
afterAll(() => closeSync(regularFile));

const closed: string[] = [];
let nextFd = 100;
class End {
  readonly fd: number;
  constructor(fd: number) {
    this.fd = fd;
  }
  read = () => 0;
  write = () => 0;
  close = () => void closed.push(`${this.fd}`);
  finish = () => [Buffer.from('out'), 3];
}
const native = {
  pipe: vi.fn(() => [nextFd++, nextFd++]),
  duplicateFd: () => nextFd++,
  closeFds: (fds: number[]) => void closed.push(...fds.map(String)),
  openBeneath: () => regularFile,
  holdLoop: () => undefined,
  releaseLoop: () => undefined,
  Reader: End,
  Writer: End,
} as unknown as Native;

function stdioOf(options: ProgramOptions = {}, more: Partial<StdioOptions> = {}) {
  const folder = {
    native,
    owner: 1,
    trees: [{ target: '/w', fd: 3 }],
    checkOpen: () => undefined,
    isLiving: () => false,
  };
  return new Stdio({
    options,
    folder: folder as unknown as WorkFolder,
    makesOutputs: false,
    makesInputs: false,
    files: undefined,
    outputBytes: 10,
    onOverflow: vi.fn(),
    onSourceError: vi.fn(),
    onData: () => undefined,
    given: [],
    ...more,
  });
}
const opened = (stdio: Stdio) => {
  expect(stdio.open()).toBeUndefined();
  expect(stdio.finish()).toBeUndefined();
  return stdio;
};
const targets = ({ fdRows }: Stdio) => fdRows.filter((_, at) => at % 3 === 0).sort();

beforeEach(() => {
  closed.length = 0;
  nextFd = 100;
  vi.clearAllMocks();
});

describe('what a program gets', () => {
  it('without a word of it: nothing to read, and two captures', () => {
    const stdio = opened(stdioOf());
    expect([targets(stdio), stdio.fds, stdio.fdRows.at(-2)]).toEqual([[0, 1, 2], [101, 103], FD_NULL]);
  });

  it('stderr may go where stdout goes', () => {
    const stdio = opened(stdioOf({ stderr: 'stdout' }));
    expect([targets(stdio), stdio.fds]).toEqual([
      [0, 1, 2],
      [101, 101],
    ]);
  });

  it('a pipe of its group, and one of `fds`, stand in the place of the standard three', () => {
    const given = [{ target: 0, fd: 50, sent: false }];
    const stdio = opened(stdioOf({ stdin: 'pipe', fds: { 1: { output: 'null' } } }, { given }));
    expect(targets(stdio)).toEqual([0, 1, 2]);
    expect([given[0]!.sent, stdio.fds[0], stdio.inputs.size]).toEqual([true, 50, 0]);
    expect(native.pipe).toHaveBeenCalledOnce(); // for stderr
  });

  it('a file of the work folder is opened once that is filled', () => {
    const stdio = stdioOf({ stdin: { file: 'in' } });
    expect(stdio.open()).toBeUndefined();
    expect(stdio.fds).toEqual([]);
    expect(stdio.finish()).toBeUndefined();
    expect(stdio.fds).toContain(regularFile);
  });

  it('with a terminal no pipe is made', () => {
    const stdio = opened(stdioOf({ pty: { cols: 80, rows: 24 } }));
    expect([targets(stdio), stdio.fds]).toEqual([[0, 1, 2], []]);
    expect(native.pipe).not.toHaveBeenCalled();
  });
});

describe('what the host closes', () => {
  it('once the plan is sent: the program’s ends', () => {
    const stdio = opened(stdioOf({ stdin: 'pipe', stdout: 'pipe' }));
    expect([stdio.inputs.size, stdio.outputs.size]).toEqual([0, 0]);
    stdio.noteSent();
    expect([...closed].sort()).toEqual(['101', '103', '104']);
    expect([[...stdio.inputs.keys()], [...stdio.outputs.keys()]]).toEqual([[0], [1]]);
  });

  it('without a start: both ends', () => {
    const stdio = opened(stdioOf({ stdin: 'pipe' }));
    stdio.abandon();
    expect([...new Set(closed)].sort()).toEqual(['100', '101', '102', '103', '104', '105']);
  });

  it('after the end: the inputs, while what was captured is read', () => {
    const stdio = opened(stdioOf({ stdin: 'pipe' }));
    stdio.noteSent();
    closed.length = 0;
    const outputs = stdio.collect(undefined, new CopyOutBudget(undefined));
    expect([closed, outputs.get(1)!.text()]).toEqual([['105'], 'out']);
  });

  it('after a failed run: the captures as well', () => {
    const stdio = opened(stdioOf({ stdin: 'pipe' }));
    stdio.noteSent();
    closed.length = 0;
    stdio.drop(undefined);
    expect([...closed].sort()).toEqual(['100', '102', '105']);
  });
});

it('the pipes of a warm process are its three streams', () => {
  const stdio = stdioOf();
  stdio.attachPipes([60, 61, 62]);
  expect([[...stdio.inputs.keys()], [...stdio.outputs.keys()]]).toEqual([[0], [1, 2]]);
});
