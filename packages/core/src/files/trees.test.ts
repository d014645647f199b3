import { describe, expect, it } from 'vitest';
import { EISDIR, ELOOP, ENOENT, EXDEV } from '../native/errno.js';
import type { Native } from '../native/native.js';
import { inTree, parentsInTree, type WorkFolder } from './trees.js';

const TREES = [
  { target: '/w', fd: 1 },
  { target: '/tmp', fd: 2 },
  { target: '/dev/shm', fd: 3 },
  { target: '/w/data', fd: 4 },
];

/** Links by absolute path. Everything else is there and no link, but for names that begin with `no`. */
function folderWith(links: Record<string, string>): WorkFolder {
  const readLinkBeneath = ({ dir, path }: { dir: number; path: string }) => {
    const at = `${TREES[dir - 1]!.target}/${path}`;
    return links[at] ?? (path.split('/').at(-1)!.startsWith('no') ? ENOENT : 0);
  };
  return {
    native: { readLinkBeneath } as unknown as Native,
    trees: TREES,
    owner: -1,
    folderMode: 0o755,
    checkOpen: () => {},
    closing: () => new AbortController().signal,
    isLiving: () => false,
    lastCall: null,
  };
}

/** Where a path leads; the kernel's part is played by the links: any on the way, or at the end, is ELOOP. */
function lead(path: string, links: Record<string, string> = {}, root = false): string | number {
  const kernel = (dir: number, below: string) => {
    const at = `${TREES[dir - 1]!.target}/${below}`;
    if (Object.keys(links).some((link) => at === link || at.startsWith(`${link}/`))) return ELOOP;
    if (dir === 1 && (below === 'data' || below.startsWith('data/'))) return EXDEV; // another file system
    return at;
  };
  return inTree<string>(folderWith(links), path, kernel, root);
}

it('links of slashes and dots take a time in proportion to their length', () => {
  const links = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`/w/l${index}`, `l${index + 1}${'/./'.repeat(1360)}`]),
  );
  const before = process.cpuUsage();
  expect(lead('l0/x', links)).toBe('/w/l40/x');
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000); // ms; it was ten seconds
});

describe('a path is found in its tree', () => {
  it.each([
    ['a/b', '/w/a/b'],
    ['/w/a', '/w/a'],
    ['/tmp/a', '/tmp/a'],
    ['/dev/shm/x/y', '/dev/shm/x/y'],
    ['/w/data/x', '/w/data/x'],
    ['data/x', '/w/data/x'],
    ['/w/database', '/w/database'],
  ])('%s', (path, expected) => expect(lead(path)).toBe(expected));

  it.each(['/', '/etc/passwd', '/proc/self/environ', '/dev/null', '/dev', '/work/a', '/tmpx/a'])(
    '%s is outside',
    (path) => expect(lead(path)).toBe(EXDEV),
  );

  it.each(['/w', '/tmp', '/dev/shm'])('%s is a folder', (path) => {
    expect(lead(path)).toBe(EISDIR);
    expect(lead(path, {}, true)).toBe(`${path}/.`);
  });
});

describe('links on the way', () => {
  const links = {
    '/w/same': 'real',
    '/w/up/to': '../other',
    '/w/tmp': '/tmp',
    '/w/shm': '../dev/shm',
    '/tmp/back': '/w/same',
    '/w/etc': '/etc',
    '/w/proc': '/proc/self',
    '/w/far': '../../../../../../tmp',
    '/w/loop': 'loop',
    '/w/ping': '/tmp/pong',
    '/tmp/pong': '/w/ping',
    '/w/last': 'file',
    '/w/empty': '',
    '/w/none': 'nothing',
    '/w/into': 'data',
  };
  it.each<[string, string | number]>([
    ['same/a', '/w/real/a'],
    ['up/to/a', '/w/other/a'],
    ['tmp/a', '/tmp/a'],
    ['/w/tmp/b/c', '/tmp/b/c'],
    ['shm/a', '/dev/shm/a'],
    ['/tmp/back/a', '/w/real/a'],
    ['tmp/back/a', '/w/real/a'],
    ['far/a', '/tmp/a'],
    ['into/x', '/w/data/x'],
    ['etc/passwd', EXDEV],
    ['proc/environ', EXDEV],
    ['loop/a', ELOOP],
    ['ping/a', ELOOP],
    ['last', ELOOP],
    ['tmp', ELOOP],
    ['same/../a', ELOOP],
  ])('%s', (path, expected) => {
    if (path.includes('..'))
      expect(() => lead(path, links)).toThrow(expect.objectContaining({ rule: 'format' }));
    else expect(lead(path, links)).toBe(expected);
  });

  it('an empty one, and one to nothing', () => {
    expect(lead('empty/a', links)).toBe(-22);
    expect(lead('none/a', links)).toBe(ENOENT);
  });

  it('40 are followed, 41 are not', () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [`/w/l${i}`, i + 1 === length ? 'end' : `l${i + 1}`]),
      );
    expect(lead('l0/a', chain(40))).toBe('/w/end/a');
    expect(lead('l0/a', chain(41))).toBe(ELOOP);
  });

  it('through deep folders are followed as far as that costs little', () => {
    const through = (depth: number) => {
      const deep = 'd/'.repeat(depth);
      return lead('l0/a', { '/w/l0': `${deep}l1`, [`/w/${deep}l1`]: `/w/${deep}e` });
    };
    expect(through(100)).toBe(`/w/${'d/'.repeat(100)}e/a`);
    expect(through(2000)).toBe(ELOOP);
  });
});

describe('folders that lead to a path', () => {
  it.each<[string, string[]]>([
    ['a', []],
    ['a/b/c', ['a', 'a/b']],
    ['/w/a/b', ['/w/a']],
    ['/dev/shm/a/b', ['/dev/shm/a']],
    ['/etc/a/b', []],
  ])('%s', (path, expected) => expect(parentsInTree(folderWith({}), path)).toEqual(expected));
});
