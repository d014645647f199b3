import { expect, it } from 'vitest';
import { kernelTextProblem } from './problem.js';

it('text that is the same as bytes has no problem', () => {
  for (const text of ['', 'a', 'ü', '\u{fffd}', '\u{1f600}', 'a\u{10ffff}b'])
    expect(kernelTextProblem(text), text).toBe(null);
});

it('half a character is named by its place, with what to do, and nothing is repeated', () => {
  for (const [text, at] of [
    ['secret\ud800', 6],
    ['\udc00secret', 0],
    ['\u{1f600}\ude00\ud83d', 2],
  ] as const)
    expect(kernelTextProblem(text)).toEqual({
      path: '',
      rule: 'format',
      expected: 'must be well-formed Unicode',
      got: `a lone surrogate at position ${at}`,
      hint: expect.stringContaining('toWellFormed()'),
    });
});
