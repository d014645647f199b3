import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkTemplate, quoteShell } from './shell.js';

const words = (...values: (string | number)[]) => {
  const strings = ['printf "%s\\n" ', ...values.slice(1).map(() => ' '), ''];
  const line = quoteShell(strings, values);
  return execFileSync('/bin/sh', ['-c', line]).toString().split('\n').slice(0, -1);
};

it('only a template is taken', () => {
  expect(() => checkTemplate(Object.assign(['ls'], { raw: ['ls'] }))).not.toThrow();
  for (const wrong of ['ls', ['ls'], undefined])
    expect(() => checkTemplate(wrong)).toThrow(/without parentheses/);
});

describe('quoteShell', () => {
  it.each([
    'plain',
    '',
    'two words',
    "it's",
    '$HOME',
    '`id`',
    '$(id)',
    'a;b',
    '*',
    '-n',
    '"',
    '\\',
    "'; rm -rf / '",
  ])('%j is one word', (value) => {
    expect(words(value, 'end')).toEqual([value, 'end']);
  });

  it.each<[number | string, string[]]>([
    [2, ['echo ', ' >out']],
    ['2', ['echo ', '>out']],
    ['A=b', ['', ' true']],
    ['if', ['', ' true']],
  ])('%j is no syntax', (value, strings) => {
    expect(quoteShell(strings, [value])).toBe(strings.join(`'${value}'`));
  });

  it('numbers are words', () => expect(words(3)).toEqual(['3']));
});
