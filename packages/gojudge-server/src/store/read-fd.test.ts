import { execFileSync } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveSource, readPart } from './read-fd.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-fd-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const KIB = 1024;

async function lengthsOf(part: AsyncIterable<Uint8Array>): Promise<number[]> {
  const lengths: number[] = [];
  for await (const chunk of part) lengths.push(chunk.byteLength);
  return lengths;
}

test('a part of a file comes in chunks, and ends where the file ends', async () => {
  const path = join(folder, 'file');
  writeFileSync(path, Buffer.alloc(600 * KIB));
  const fd = openSync(path, 'r');
  try {
    expect(await lengthsOf(readPart(fd, 100 * KIB, 300 * KIB))).toEqual([256 * KIB, 44 * KIB]);
    expect(await lengthsOf(readPart(fd, 590 * KIB, 300 * KIB))).toEqual([10 * KIB]);
    expect(await lengthsOf(readPart(fd, 0, 0))).toEqual([]);
  } finally {
    closeSync(fd);
  }
});

/** Both ends of a named pipe that does not block. */
function pipe(): { reader: number; writer: number } {
  const path = join(folder, `pipe-${Math.random()}`);
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

test('what is no file comes as it is written, until its writers are gone', async () => {
  const { reader, writer } = pipe();
  const source = new LiveSource(reader);
  const chunks = source[Symbol.asyncIterator]();
  const first = chunks.next(); // nothing is there yet
  writeFileSync(writer, 'one');
  expect(Buffer.from((await first).value as Uint8Array).toString()).toBe('one');
  closeSync(writer);
  expect((await chunks.next()).done).toBe(true);
  source.close();
  source.close();
  expect(() => fstatSync(reader)).toThrow('EBADF');
});

test('one that is closed while it waits gives nothing more, and its descriptor is closed', async () => {
  const { reader, writer } = pipe();
  const source = new LiveSource(reader);
  const next = source[Symbol.asyncIterator]().next();
  source.close(); // a read is under way
  expect((await next).done).toBe(true);
  expect(() => fstatSync(reader)).toThrow('EBADF');
  closeSync(writer);
});
