/** Files that a program reads fill its group up to the limit, and are no use of memory. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MiB } from '../helpers/engine.js';

let folder: string;
let engine: Engine;

beforeAll(async () => {
  // On the disk of the checkout: /tmp may be memory.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'sbx-cold-'));
  chmodSync(folder, 0o755); // the program is another user
  engine = await Engine.open({
    mounts: [...DEFAULT_MOUNTS, { kind: 'bind', source: folder, target: '/cold' }],
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** In no page cache, so that the run is the first to read it. */
function writeCold(name: string, bytes: number): void {
  const path = join(folder, name);
  writeFileSync(path, Buffer.alloc(bytes, 'x'));
  execFileSync('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], {
    stdio: 'ignore',
  });
}

it('a file larger than the limit is read, and told as cache', async () => {
  writeCold('large', 100 * MiB);
  const limits = { memoryBytes: 48 * MiB };
  const { status, usage } = await engine.run('/bin/cat', ['/cold/large'], { stdout: 'null', limits });
  expect(status).toBe('ok');
  expect(usage.memoryPeakBytes).toBeLessThanOrEqual(48 * MiB);
  expect(usage.memoryPeakBytes).toBeGreaterThan(24 * MiB);
  expect(usage.fileCacheBytes).toBeGreaterThan(24 * MiB);
});

it('nobody looks where the limit is far', async () => {
  const { usage } = await engine.run('/bin/true');
  expect(usage.fileCacheBytes).toBe(null);
});
