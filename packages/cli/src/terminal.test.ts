import { describe, expect, test } from 'vitest';
import { formatTable, jsonOf, wantsColour } from './terminal.js';

describe('colours', () => {
  const terminal = { isTTY: true };
  const pipe = {};
  test.each([
    [terminal, {}, true],
    [pipe, {}, false],
    [terminal, { NO_COLOR: '1' }, false],
    [terminal, { NO_COLOR: '' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [pipe, { FORCE_COLOR: '1' }, true],
    [terminal, { FORCE_COLOR: '0' }, false],
    [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('on %j with %j: %s', (stream, env, wanted) => {
    expect(wantsColour(stream, env)).toBe(wanted);
  });
});

test('columns are aligned, and colours do not count as width', () => {
  const rows = [
    ['a', { text: 'ok', colour: 'green' as const }, 'x'],
    ['long', 'no', ''],
  ];
  const paint = (_colour: string, text: string) => `<${text}>`;
  expect(formatTable(['n', 'state', 'last'], rows, paint)).toBe(
    ['<n>     <state>  <last>', 'a     <ok>     x', 'long  no', ''].join('\n'),
  );
});

test('cells hold nothing that a terminal obeys', () => {
  const cells = ['a\u001b[2Jb', 'c\nd\u202ee', 'é 漢'];
  const [, row] = formatTable(['x', 'y', 'z'], [cells], (_colour, text) => text).split('\n');
  expect(row).toBe('a\\u{1b}[2Jb  c\\u{a}d\\u{202e}e  é 漢');
});

test('a table may have any number of rows', () => {
  const rows = Array(200_000).fill(['tenant', '1']);
  const table = formatTable(['tenant', 'jobs'], rows, (_colour, text) => text);
  expect(table.split('\n').length).toBe(200_002);
});

test('JSON holds nothing that a terminal obeys, and says the same', () => {
  const value = { 'a\u009b2J': ['\u001b[31m\n', '\u007f\u0085\u202e\u2028', 'tag \u{e0041}', 'é 漢 "\\'] };
  const json = jsonOf(value);
  expect(JSON.parse(json)).toEqual(value);
  expect(json.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(json).toContain('é 漢');
});
