import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoredNames } from './names.js';
import { FileStore, StoreFullError, type StoreOptions } from './store.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sbx-store-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (options: Partial<StoreOptions> = {}) =>
  FileStore.open({ dir, temporary: false, timeoutMs: 0, maxBytes: 1000, maxCount: 3, ...options });
const bytes = (size: number) => new Uint8Array(size).fill(1);

async function* broken() {
  yield bytes(10);
  throw new Error('cut off');
}

describe('FileStore', () => {
  it('keeps names over a restart, and forgets those that are gone', async () => {
    const first = await open();
    const [kept, gone] = [await first.add('kept.txt', bytes(1)), await first.add('gone', bytes(1))];
    await first.delete(gone);
    await first.close();
    writeFileSync(join(dir, 'FOREIGN1'), 'x');
    const second = await open();
    expect(await second.list()).toEqual(
      new Map([
        [kept, 'kept.txt'],
        ['FOREIGN1', ''],
      ]),
    );
    expect([second.nameOf(kept), second.nameOf('FOREIGN1')]).toEqual(['kept.txt', 'FOREIGN1']);
    await second.close();
  });

  it('makes the folders that lead to it, and says so where none can be made', async () => {
    const deep = await open({ dir: join(dir, 'a', 'b') });
    expect(readdirSync(join(dir, 'a'))).toEqual(['b']);
    await deep.close();
    await (await open({ dir: join(dir, 'a', 'b') })).close();
    // A loop of Node's own `mkdir` with `recursive`: it would never end.
    await expect(open({ dir: '/proc/self/none/such' })).rejects.toThrow(/ENOENT.*\/proc\/self\/none/);
    writeFileSync(join(dir, 'file'), '');
    await expect(open({ dir: join(dir, 'file') })).rejects.toThrow(/ENOTDIR/);
  });

  it('does not open a folder in which somebody has put a link in the place of its own', async () => {
    const other = join(dir, 'other');
    mkdirSync(other);
    symlinkSync(other, join(dir, '.sbx'));
    await expect(open()).rejects.toThrow('must be a folder, and is a link');
    expect(readdirSync(other)).toEqual([]);
  });

  it('is bounded in bytes and number, and what failed leaves nothing', async () => {
    const store = await open();
    await expect(store.add('big', bytes(1001))).rejects.toThrow(StoreFullError);
    await expect(store.add('broken', broken())).rejects.toThrow('cut off');
    expect(store.totals).toMatchObject({ count: 0, bytes: 0 });
    for (let count = 0; count < 3; count += 1) await store.add('x', bytes(10));
    await expect(store.add('x', bytes(1))).rejects.toThrow(/full: 3 files/);
    expect(readdirSync(join(dir, '.sbx')).filter((name) => name.startsWith('tmp'))).toEqual([]);
    await store.close();
  });

  it('nothing stays of a file that gets no id, or whose name finds no space', async () => {
    const store = await open();
    async function* whileRemoved() {
      yield bytes(10);
      rmSync(join(dir, '.sbx'), { recursive: true });
    }
    await expect(store.add('lost', whileRemoved())).rejects.toThrow('ENOENT');
    expect(store.totals).toEqual({ count: 0, bytes: 0, nameLength: 0 });
    await store.close();
    const again = await open();
    const noSpace = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const names = vi.spyOn(StoredNames.prototype, 'set').mockRejectedValueOnce(noSpace);
    await expect(again.add('x', bytes(10))).rejects.toThrow(StoreFullError);
    names.mockRestore();
    expect([readdirSync(dir), again.totals]).toEqual([['.sbx'], { count: 0, bytes: 0, nameLength: 0 }]);
    await again.close();
  });

  it('removes at its start what was cut off by a crash', async () => {
    await (await open()).close();
    const left = join(dir, '.sbx', 'tmp-1-1');
    writeFileSync(left, 'x');
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(left, hourAgo, hourAgo);
    const store = await open();
    expect(readdirSync(join(dir, '.sbx'))).toEqual(['names.jsonl']);
    await store.close();
  });

  it('takes nothing from another server that writes into the same folder', async () => {
    const first = await open();
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    async function* slowly() {
      yield bytes(5);
      await gone;
      yield bytes(5);
    }
    const adding = first.add('slow', slowly());
    const unfinished = () => readdirSync(join(dir, '.sbx')).filter((name) => name.startsWith('tmp-'));
    await expect.poll(unfinished).toHaveLength(1);
    const second = await open();
    go();
    const id = await adding;
    const fd = second.openFd(id)!;
    expect(readFileSync(fd).length).toBe(10);
    closeSync(fd);
    await Promise.all([first.close(), second.close()]);
  });

  it('has the room back of what others removed', async () => {
    const store = await open({ maxBytes: 100 });
    const ids = [
      await store.add('', bytes(40)),
      await store.add('', bytes(40)),
      await store.add('', bytes(1)),
    ];
    for (const id of ids.slice(0, 2)) rmSync(join(dir, id));
    await store.add('', bytes(95)); // neither too many nor too large
    rmSync(join(dir, ids[2]!));
    expect(await store.delete(ids[2]!)).toBe(false);
    expect(store.totals).toMatchObject({ count: 1, bytes: 95 });
    await expect(store.add('', bytes(40))).rejects.toThrow('full: 100 bytes');
    await store.close();
  });

  it('counts names, and takes none that is longer than a path', async () => {
    const store = await open({ maxBytes: 10_000 });
    await expect(store.add('x'.repeat(4097), bytes(1))).rejects.toThrow('at most 4096 characters');
    const ids = [await store.add('x'.repeat(4096), bytes(1)), await store.add('x'.repeat(4096), bytes(1))];
    await expect(store.add('x'.repeat(1900), bytes(1))).rejects.toThrow('full: 10000 bytes');
    await expect(store.add('x', bytes(1900))).rejects.toThrow('full: 10000 bytes');
    expect(store.totals).toEqual({ count: 2, bytes: 2, nameLength: 8192 });
    await store.delete(ids[0]!);
    await store.add('x'.repeat(1900), bytes(1900));
    await store.close();
  });

  it('lets an open file be read to its end after it was deleted', async () => {
    const store = await open();
    const id = await store.add('x', bytes(5));
    const fd = store.openFd(id);
    expect([await store.delete(id), await store.delete(id), store.openFd(id)]).toEqual([true, false, null]);
    expect(readFileSync(fd!).length).toBe(5);
    closeSync(fd!);
    await store.close();
  });

  it('neither reads nor deletes what is no file of the folder itself', async () => {
    const store = await open();
    mkdirSync(join(dir, 'folder'));
    symlinkSync('/etc/passwd', join(dir, 'link'));
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const id of ['folder', 'link', 'pipe', '.sbx', '.', '..', '', '.sbx/names.jsonl', '../x', 'x\0']) {
      expect([id, store.openFd(id), await store.delete(id)]).toEqual([id, null, false]);
    }
    expect(readdirSync(dir).sort()).toEqual(['.sbx', 'folder', 'link', 'pipe']);
    await store.close();
  });

  it('drops what is unused, and only that', async () => {
    const store = await open({ timeoutMs: 400 });
    const [used, unused] = [await store.add('a', bytes(1)), await store.add('b', bytes(1))];
    for (let count = 0; count < 8; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      closeSync(store.openFd(used)!);
    }
    expect([store.openFd(unused), [...(await store.list()).keys()]]).toEqual([null, [used]]);
    await store.close();
  });

  it('takes a temporary folder along', async () => {
    const store = await open({ temporary: true });
    await store.add('x', bytes(1));
    await store.close();
    expect(readdirSync(tmpdir())).not.toContain(dir.split('/').at(-1));
  });
});
