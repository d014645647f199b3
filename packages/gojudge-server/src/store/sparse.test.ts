import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataIn } from './sparse.js';
import { FileStore } from './store.js';

const MiB = 2 ** 20;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sbx-sparse-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('a file with holes keeps them, and costs what it has', async () => {
  const fd = openSync(join(dir, 'source'), 'w+');
  ftruncateSync(fd, 64 * MiB);
  writeSync(fd, 'beginning', 0);
  writeSync(fd, 'middle', 33 * MiB);
  writeSync(fd, 'end', 64 * MiB - 3);
  const stored = join(dir, 'stored');
  const store = await FileStore.open({
    dir: stored,
    temporary: false,
    timeoutMs: 0,
    maxBytes: MiB,
    maxCount: 9,
  });
  const whole = join(stored, await store.add('whole', { fd }));
  expect(statSync(whole).blocks * 512).toBeLessThan(MiB);
  expect(readFileSync(whole).equals(readFileSync(join(dir, 'source')))).toBe(true);
  const part = join(stored, await store.add('part', { fd, maxBytes: 40 * MiB + 1 }));
  expect([statSync(part).size, statSync(part).blocks * 512 < MiB]).toEqual([40 * MiB + 1, true]);
  expect(store.totals.bytes).toBeLessThan(MiB);
  closeSync(fd);
  await store.close();
});

it('runs of pages with something in them are all that is not zero', () => {
  const page = fc.constantFrom(0, 1);
  fc.assert(
    fc.property(
      fc.array(page, { maxLength: 12, size: 'max' }),
      fc.integer({ min: 1, max: 4096 }),
      (pages, lastBytes) => {
        const bytes = new Uint8Array(
          Math.max(0, (pages.length - 1) * 4096 + (pages.length > 0 ? lastBytes : 0)),
        );
        for (const [at, value] of pages.entries()) if (value === 1) bytes[at * 4096] = 7;
        const copy = new Uint8Array(bytes.length);
        let before = -1;
        for (const [from, end] of dataIn(bytes)) {
          expect(from).toBeGreaterThan(before);
          before = end;
          copy.set(bytes.subarray(from, end), from);
        }
        expect(Buffer.compare(copy, bytes)).toBe(0);
      },
    ),
  );
});
