import { closeSync, fstatSync, openSync } from 'node:fs';
import type { RunResult } from '@sbx/core';
import { expect, test, vi } from 'vitest';
import { closeDescriptors, whenSent } from './descriptors.js';

test('descriptors of a result are closed once each, whatever they are called', () => {
  const fds = [1, 2, 3].map(() => openSync('/dev/null', 'r'));
  const [stdout, output, file] = fds.map((fd) => ({ fd }));
  const result = { stdout, stderr: { fd: null }, outputs: { 1: stdout, 5: output }, files: { a: file } };
  closeDescriptors(result as unknown as RunResult);
  for (const fd of fds) expect(() => fstatSync(fd)).toThrow('EBADF');
  closeDescriptors(null);
  closeSync(openSync('/dev/null', 'r'));
});

test('what has ended is given once all of it was sent', async () => {
  const close = vi.fn();
  expect(await whenSent(Promise.resolve('ended'), Promise.resolve(), close)).toBe('ended');
  expect(close).not.toHaveBeenCalled();
});

test('what could not be sent is closed, and the error is that of the sending', async () => {
  const close = vi.fn();
  const sending = Promise.reject(new Error('gone'));
  await expect(whenSent(Promise.resolve('ended'), sending, close)).rejects.toThrow('gone');
  expect(close.mock.calls).toEqual([['ended']]);
});

test('what did not end well has nothing to close', async () => {
  const close = vi.fn();
  const failed = whenSent(Promise.reject(new Error('lost')), Promise.reject(new Error('gone')), close);
  await expect(failed).rejects.toThrow('lost');
  expect(close).not.toHaveBeenCalled();
});
