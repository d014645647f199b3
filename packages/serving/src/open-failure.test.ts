import { UnsupportedError } from '@sbx/core';
import { expect, test } from 'vitest';
import { openFailureText } from './open-failure.js';

const missing = (details: Record<string, unknown>) =>
  new UnsupportedError({
    code: 'SBX_REQUIRED_FEATURE_MISSING',
    message: 'It cannot.',
    hint: 'Delegate. Or Engine.open({ require: [] }).',
    details,
  });

test('missing guarantees come with the advice of the command', () => {
  const text = openFailureText(missing({ problem: 'It cannot.', fix: 'Delegate.' }), 'Or --flag.');
  expect(text).toBe('It cannot. Delegate. `sbx doctor --fix` prints the commands that mend it. Or --flag.');
});

test.each([
  [missing({}), 'It cannot. Delegate. Or Engine.open({ require: [] }).'],
  [new Error('another'), 'another'],
])('any other error says what it says', (error, text) => {
  expect(openFailureText(error, 'Or --flag.')).toBe(text);
});
