import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { checkFilePath, checkWorkPath, type WorkPathOptions } from './paths.js';

const NAME_255 = 'n'.repeat(255);
const PATH_4095 = `${'d/'.repeat(2047)}f`;

describe('one spelling', () => {
  it.each([
    ['a', 'a'],
    ['a/b.txt', 'a/b.txt'],
    ['./a', 'a'],
    ['././a', 'a'],
    ['a//b', 'a/b'],
    ['a/./b', 'a/b'],
    ['a/.', 'a'],
    ['...', '...'],
    ['.hidden', '.hidden'],
    ['..a/b..', '..a/b..'],
    ['a b\n', 'a b\n'],
    ['-rf', '-rf'],
    ['C:\\x', 'C:\\x'],
    ['zażółć', 'zażółć'],
    ['/tmp/a', '/tmp/a'],
    ['//tmp/./a', '/tmp/a'],
    ['/w', '/w'],
    [NAME_255, NAME_255],
    [PATH_4095, PATH_4095],
  ])('%j is %j', (path, normal) => {
    expect(checkFilePath(path)).toBeNull();
    expect(checkWorkPath(path)).toBe(normal);
  });
});

describe('what is refused as the name of a file', () => {
  it.each<[unknown, string]>([
    ['', 'format'],
    ['.', 'format'],
    ['./', 'format'],
    ['./.', 'format'],
    ['.//.', 'format'],
    ['a/', 'format'],
    ['/', 'format'],
    ['/a/../b', 'format'],
    ['/a/', 'format'],
    ['/..', 'format'],
    ['..', 'format'],
    ['../a', 'format'],
    ['a/..', 'format'],
    ['a/../b', 'format'],
    ['a/../../b', 'format'],
    ['./../a', 'format'],
    ['a\0b', 'nul'],
    ['a\ud800', 'format'],
    ['\udc00\ud800/b', 'format'],
    ['\0', 'nul'],
    [`${NAME_255}n`, 'size'],
    [`a/${'ż'.repeat(128)}`, 'size'],
    [`${PATH_4095}g`, 'size'],
    ['x'.repeat(1_000_000), 'size'],
    [5, 'type'],
    [null, 'type'],
    [undefined, 'type'],
    [['a'], 'type'],
    [Buffer.from('a'), 'type'],
  ])('case %#', (path, rule) => {
    expect(checkFilePath(path)?.rule).toBe(rule);
    expect(() => checkWorkPath(path)).toThrow(InvalidOptionsError);
    expect(() => checkWorkPath(path)).toThrow(expect.objectContaining({ field: 'path', rule }));
  });
});

describe('paths that may be folders', () => {
  const folder: WorkPathOptions = { root: true };

  it.each<[string, WorkPathOptions, string]>([
    ['.', folder, '.'],
    ['./', folder, '.'],
    ['a/', folder, 'a'],
    ['/w/a/', folder, '/w/a'],
    ['/w//', folder, '/w'],
    ['/', folder, '/'],
    ['new/', { folder: true }, 'new'],
  ])('%j is taken (%#)', (path, options, normal) => {
    expect(checkWorkPath(path, options)).toBe(normal);
  });

  it.each<[string, WorkPathOptions]>([
    ['', folder],
    ['/w/..', folder],
    ['/w\0', folder],
    ['./', { folder: true, field: 'from' }],
    ['/w/a/', {}],
  ])('%j is refused (%#)', (path, options) => {
    expect(() => checkWorkPath(path, options)).toThrow(
      expect.objectContaining({ code: 'SBX_INVALID_OPTIONS', field: options.field ?? 'path' }),
    );
  });
});
