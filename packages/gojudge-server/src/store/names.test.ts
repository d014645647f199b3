import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, open, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoredNames } from './names.js';

let folder = '';
const path = () => join(folder, 'names');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbx-names-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('names survive a restart, those of files that are gone do not', async () => {
  const names = await StoredNames.open(path());
  await names.keepOnly(new Set());
  await names.set('A', 'one.txt');
  await names.set('B', 'two "quoted"\nlines');
  await names.close();
  const again = await StoredNames.open(path());
  await again.keepOnly(new Set(['B']));
  expect([again.get('A'), again.get('B')]).toEqual([undefined, 'two "quoted"\nlines']);
  await again.close();
  expect((await readFile(path(), 'utf8')).trim().split('\n')).toHaveLength(1);
});

it('the last name of an id counts, and a line that a crash cut off is skipped', async () => {
  const names = await StoredNames.open(path());
  await names.keepOnly(new Set());
  await names.set('A', 'old');
  await names.set('A', 'new');
  await names.close();
  await appendFile(path(), '{"id":"B","na');
  const again = await StoredNames.open(path());
  expect([again.get('A'), again.get('B')]).toEqual(['new', undefined]);
});

it('a line that was cut off for space spoils no other', async () => {
  const names = await StoredNames.open(path());
  await names.keepOnly(new Set());
  const file = await open('/dev/null');
  const appends = vi.spyOn(Object.getPrototypeOf(file), 'appendFile');
  await file.close();
  appends.mockImplementationOnce(async () => {
    await appendFile(path(), '{"id":"A","na');
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  });
  await expect(names.set('A', 'a')).rejects.toThrow('no space');
  appends.mockRestore();
  await Promise.all([names.set('B', 'b'), names.set('C', 'c')]);
  await names.close();
  const again = await StoredNames.open(path());
  expect([again.get('A'), again.get('B'), again.get('C')]).toEqual([undefined, 'b', 'c']);
});

it('names of files that came and went do not fill the journal, and none of the others is lost', async () => {
  const names = await StoredNames.open(path());
  await names.keepOnly(new Set());
  await names.set('kept', 'a name');
  const long = 'x'.repeat(100_000);
  for (let count = 0; count < 30; count += 1) {
    await names.set(`${count}`, long);
    await names.delete(`${count}`);
  }
  expect((await stat(path())).size).toBeLessThan(1.3 * 2 ** 20);
  for (let count = 0; count < 30; count += 1) await names.set(`${count}`, long);
  await names.close();
  const again = await StoredNames.open(path());
  expect([again.get('kept'), again.get('0'), again.get('29')]).toEqual(['a name', long, long]);
});

it.each(['names', 'names.new'])(
  'nothing is written through a link that somebody has put at %s',
  async (name) => {
    const other = join(folder, 'other');
    await appendFile(other, 'as it was');
    await symlink(other, join(folder, name));
    const names = await StoredNames.open(path());
    await names.keepOnly(new Set());
    await names.set('A', 'a');
    // Nor once it has been begun, whatever is put in its place.
    await rename(other, path());
    await names.set('B', 'b');
    await names.close();
    expect(await readFile(path(), 'utf8')).toBe('as it was');
  },
);

it('a pipe in the place of the journal is no journal, and keeps nobody waiting', async () => {
  execFileSync('mkfifo', [path()]);
  const names = await StoredNames.open(path());
  await names.keepOnly(new Set());
  await names.set('A', 'a');
  await names.close();
  expect((await StoredNames.open(path())).get('A')).toBe('a');
});

it('lines of other forms are no names', async () => {
  await appendFile(path(), 'null\n[1]\n{"id":5,"name":"x"}\n{"id":"A","name":"a"}\n');
  const names = await StoredNames.open(path());
  expect([names.get('A'), names.get('5')]).toEqual(['a', undefined]);
});

it('without a path they live in memory alone', async () => {
  const names = await StoredNames.open(null);
  await names.keepOnly(new Set());
  await names.set('toString', 'a name');
  expect(names.get('toString')).toBe('a name');
  expect(names.get('constructor')).toBeUndefined();
  await names.delete('toString');
  expect(names.get('toString')).toBeUndefined();
});

it('a name holds nothing of the text that it was cut out of', async () => {
  const names = await StoredNames.open(null);
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 400; count += 1) {
    const text = `${count}`.padEnd(2 ** 20, 'x');
    await names.set(`${count}`, text.slice(0, 100));
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 2 ** 20);
  expect(names.get('7')).toMatch(/^7x{99}$/);
});
