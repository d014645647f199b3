// A database of packages made up in a folder, over files of that folder.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Packages } from './packages.js';
import { selectFiles } from './select.js';
import { writeTree } from './tree.js';

let home = '';
let database = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sbx-root-test-'));
  database = join(home, 'dpkg');
  mkdirSync(join(database, 'info'), { recursive: true });
  writeFileSync(join(database, 'status'), '');
});
afterEach(() => rmSync(home, { recursive: true }));

/** Adds a package whose files are made with their names as content. */
function addPackage(name: string, files: readonly string[], fields = ''): void {
  const paths = files.map((file) => join(home, 'sys', file));
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path, { mode: 0o755 });
  }
  const md5 = (path: string) => createHash('md5').update(path).digest('hex');
  const paragraph = `Package: ${name}\nStatus: install ok installed\nArchitecture: all\n${fields}\n`;
  writeFileSync(join(database, 'status'), paragraph, { flag: 'a' });
  writeFileSync(join(database, 'info', `${name}.list`), `/.\n${join(home, 'sys')}\n${paths.join('\n')}\n`);
  const sums = paths.map((path) => `${md5(path)}  ${path.slice(1)}\n`).join('');
  writeFileSync(join(database, 'info', `${name}.md5sums`), sums);
}

const chosen = (packages: string[]) =>
  selectFiles({ packages }, new Packages(database)).map(({ path }) => path.slice(home.length + 5));

test('a package comes with what it needs, but not with what every system has', () => {
  addPackage('tool', ['bin/tool'], 'Depends: lib (>= 1) | other, basic, virtual\nPre-Depends: early:any\n');
  addPackage('lib', ['lib/a']);
  addPackage('early', ['lib/b']);
  addPackage('basic', ['bin/basic'], 'Essential: yes\n');
  addPackage('provider', ['lib/c'], 'Provides: virtual (= 2)\n');
  addPackage('unrelated', ['bin/gcc']);
  expect(chosen(['tool'])).toEqual(['bin/tool', 'lib/a', 'lib/b', 'lib/c']);
  expect(chosen(['basic'])).toEqual(['bin/basic']);
});

test('set-user-id files and those that not all may read are left out', () => {
  addPackage('tool', ['bin/tool', 'bin/su', 'bin/secret']);
  chmodSync(join(home, 'sys/bin/su'), 0o4755);
  chmodSync(join(home, 'sys/bin/secret'), 0o700);
  expect(chosen(['tool'])).toEqual(['bin/tool']);
});

test('links stay links, and those to what is left out go', () => {
  addPackage('tool', ['bin/tool', 'bin/link', 'bin/dead']);
  for (const [name, to] of [
    ['link', 'tool'],
    ['dead', '../../../etc/passwd'],
  ] as const) {
    rmSync(join(home, 'sys/bin', name));
    symlinkSync(to, join(home, 'sys/bin', name));
  }
  expect(chosen(['tool'])).toEqual(['bin/link', 'bin/tool']);
});

test('a package that is not installed is named', () => {
  expect(() => chosen(['toll'])).toThrow(/root\.packages\[0\] must be an installed package; got "toll"/);
  expect(selectFiles({ optionalPackages: ['toll'] }, new Packages(database))).toEqual([]);
});

test('without dpkg packages are refused, with the way out', () => {
  expect(() => selectFiles({ packages: ['dash'] }, null)).toThrow(/no dpkg.*Name programs instead/s);
});

test('a file without a checksum is named', () => {
  addPackage('tool', ['bin/tool']);
  rmSync(join(database, 'info/tool.md5sums'));
  expect(() => chosen(['tool'])).toThrow(/tool has none for; got .*sys\/bin\/tool/);
});

test('copies are what was compared: a changed file is an error that names it', async () => {
  addPackage('tool', ['bin/tool', 'bin/other']);
  const tree = join(home, 'tree');
  await writeTree(tree, selectFiles({ packages: ['tool'] }, new Packages(database)), []);
  const copy = join(tree, home, 'sys/bin/tool');
  expect(readFileSync(copy, 'utf8')).toBe(join(home, 'sys/bin/tool'));
  expect(statSync(copy).mode & 0o7777).toBe(0o755);
  writeFileSync(join(home, 'sys/bin/other'), 'changed');
  const changed = writeTree(
    join(home, 'again'),
    selectFiles({ packages: ['tool'] }, new Packages(database)),
    [],
  );
  await expect(changed).rejects.toThrow(/got .*sys\/bin\/other.*package tool says/s);
});

test('byte code comes with its source when it was made of it', () => {
  addPackage('lib', ['a.py', 'b.py']);
  mkdirSync(join(home, 'sys/__pycache__'));
  for (const [name, add] of [
    ['a', 0],
    ['b', 1],
  ] as const) {
    const { mtimeMs, size } = statSync(join(home, `sys/${name}.py`));
    const header = Buffer.alloc(20);
    header.writeUInt32LE(Math.floor(mtimeMs / 1000), 8);
    header.writeUInt32LE(size + add, 12);
    writeFileSync(join(home, `sys/__pycache__/${name}.cpython-311.pyc`), header, { mode: 0o644 });
  }
  expect(chosen(['lib'])).toEqual(['__pycache__/a.cpython-311.pyc', 'a.py', 'b.py']);
});
