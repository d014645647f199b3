import { describe, expect, test } from 'vitest';
import { downloadName, problemOfName, shownName } from './names.js';

describe('shownName', () => {
  test.each([
    ['report.txt', 'report.txt'],
    ['<b>x</b>', '<b>x</b>'],
    ['a\nb\tc', 'a\u240ab\u2409c'],
    ['\x1b[31mred\x07', '\u241b[31mred\u2407'],
    ['a.txt\x1b]0;.exe', 'a.txt\u241b]0;.exe'],
    ['a\x1b[2Jb\rc', 'a\u241b[2Jb\u240dc'],
    ['a\u3164', 'a<U+3164>'],
    ['photo\u202egpj.exe', 'photo<U+202E>gpj.exe'],
  ])('%j', (name, expected) => {
    expect(shownName(name)).toBe(expected);
  });
});

test('a download has a name that no system reads as anything else', () => {
  expect(downloadName('a\u202eb\n:c"d')).toBe('a_U+202E_b__c_d');
});

test.each(['', '.', '..', 'a/b'])('%j is no name', (name) => {
  expect(problemOfName(name)).not.toBeNull();
});
