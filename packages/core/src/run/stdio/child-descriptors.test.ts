import { closeSync, openSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { FileAccessError, InvalidOptionsError } from '../../errors.js';
import { FD_CONTENT, FD_NULL, type Native } from '../../native/native.js';
import { PROGRAM_FDS_MAX } from '../../native/tables.js';
import { ChildDescriptors } from './child-descriptors.js';

/** Descriptors are numbers from 100; nothing is opened. */
function fakeNative(more: Partial<Native> = {}) {
  let next = 100;
  const closed: number[] = [];
  const native = {
    closeFds: (fds: number[]) => void closed.push(...fds),
    pipe: vi.fn(() => [next++, next++]),
    ...more,
  } as unknown as Native;
  return { native, closed };
}

it('rows are number, form and index; only what is open here is sent', () => {
  const { native } = fakeNative();
  const descriptors = new ChildDescriptors(native);
  descriptors.addNull(0);
  descriptors.addMadeByInit(1, FD_CONTENT, 4);
  descriptors.add(2, 30, 'open');
  descriptors.addAlias(5, 2);
  expect(descriptors.has(5)).toBe(true);
  expect(descriptors.rows(false)).toEqual({
    fdRows: [0, FD_NULL, 0, 1, FD_CONTENT, 4, 2, 0, 0, 5, 0, 0],
    fds: [30, 30],
  });
});

it('with a terminal the standard three are the terminal', () => {
  const descriptors = new ChildDescriptors(fakeNative().native);
  descriptors.add(1, 30, 'open');
  expect(descriptors.rows(true)).toEqual({
    fdRows: [0, FD_NULL, 0, 1, FD_NULL, 0, 2, FD_NULL, 0, 1, 0, 0],
    fds: [30],
  });
});

it('the program’s end of a pipe can be opened once more in its direction only', () => {
  const { native } = fakeNative();
  const descriptors = new ChildDescriptors(native);
  expect(descriptors.addPipe(1, true)).toBe(100);
  expect(descriptors.addPipe(0, false)).toBe(103);
  expect(vi.mocked(native.pipe).mock.calls).toEqual([[0o222], [0o444]]);
  expect(descriptors.rows(false).fds).toEqual([101, 102]);
});

it('once all is sent the program’s ends are closed, and the host’s become streams', () => {
  const { native, closed } = fakeNative();
  const descriptors = new ChildDescriptors(native);
  const attached: number[] = [];
  descriptors.addStreamedPipe(1, true, (fd) => void attached.push(fd));
  descriptors.closeSent();
  expect(closed).toEqual([101]);
  expect(attached).toEqual([100]);
  descriptors.closeSent();
  expect([closed, attached]).toEqual([[101], [100]]);
});

it('without a start both ends are closed, and what is opened later at once', () => {
  const { native, closed } = fakeNative();
  const descriptors = new ChildDescriptors(native);
  descriptors.addStreamedPipe(1, true, () => expect.unreachable());
  descriptors.abandon();
  expect(closed).toEqual([101, 100]);
  descriptors.add(3, 40, 'open');
  expect(closed).toEqual([101, 100, 40]);
});

it('a descriptor of the caller is copied; that of a folder is refused, and its copy closed', () => {
  const copy = openSync('/dev/null', 'r');
  const folder = openSync('/', 'r');
  try {
    const { native, closed } = fakeNative({ duplicateFd: (fd: number) => (fd === 9 ? copy : folder) });
    const descriptors = new ChildDescriptors(native);
    descriptors.addCopy(3, 9);
    expect(descriptors.rows(false).fds).toEqual([copy]);
    expect(() => descriptors.addCopy(4, 10)).toThrow(FileAccessError);
    descriptors.abandon();
    expect(closed).toEqual([copy, folder]);
  } finally {
    closeSync(copy);
    closeSync(folder);
  }
});

it('what the kernel refuses is told with what was tried', () => {
  const { native } = fakeNative({ duplicateFd: () => -9, pipe: () => -24 } as Partial<Native>);
  const descriptors = new ChildDescriptors(native);
  expect(() => descriptors.addCopy(3, 77)).toThrow('descriptor 77');
  expect(() => descriptors.add(3, -12, 'make a memory file')).toThrow('could not make a memory file');
  expect(() => descriptors.addPipe(1, true)).toThrow('make a pipe');
});

it('a program has so many descriptors and no more', () => {
  const descriptors = new ChildDescriptors(fakeNative().native);
  for (let target = 0; target < PROGRAM_FDS_MAX; target += 1) descriptors.addNull(target);
  expect(descriptors.rows(false).fdRows).toHaveLength(3 * PROGRAM_FDS_MAX);
  descriptors.addNull(PROGRAM_FDS_MAX);
  expect(() => descriptors.rows(false)).toThrow(InvalidOptionsError);
});
