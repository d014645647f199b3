import { expect, it } from 'vitest';
import { causeCodes, noAnswerFrom } from './cause-code.js';

const coded = (code: string, cause?: unknown) => Object.assign(new Error(code, { cause }), { code });

it('finds codes down the chain of causes, and in the message the innermost', () => {
  const error = new TypeError('fetch failed', { cause: coded('UND_ERR', coded('ECONNREFUSED')) });
  expect(causeCodes(error)).toEqual(['UND_ERR', 'ECONNREFUSED']);
  expect(noAnswerFrom('ws://a', error)).toBe('No answer from ws://a (ECONNREFUSED).');
});

it.each([undefined, null, 'text', new Error('x'), { code: 7 }])('without one there is none: %s', (cause) => {
  expect(noAnswerFrom('ws://a', cause)).toBe('No answer from ws://a.');
});

it('ends with causes that lead in a circle', () => {
  const error = coded('A');
  error.cause = error;
  expect(causeCodes(error)).toHaveLength(5);
});
