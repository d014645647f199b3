import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { callShell, checkTemplate, quoteShell } from './shell.js';

const words = (...values: (string | number)[]) => {
  const strings = ['printf "%s\\n" ', ...values.slice(1).map(() => ' '), ''];
  const line = quoteShell(strings, values);
  return execFileSync('/bin/sh', ['-c', line]).toString().split('\n').slice(0, -1);
};

it.each([
  [undefined, /^sh\.values\[1\] must be a string or a number; got undefined/],
  [Promise.resolve(''), /Await it first/],
  [['a', 'b'], /one value for each/],
  [{}, /got an object/],
])('%j is no word', async (value, message) => {
  const strings = Object.assign(['', ' ', ''], { raw: [] });
  const run = () => Promise.reject(new Error('it ran'));
  await expect(callShell(run, strings, ['a', value as never])).rejects.toThrow(message);
});

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
