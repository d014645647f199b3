import type { LanguageReport } from '@sbx/languages';
import { expect, test } from 'vitest';
import { languageChecks } from './language-checks.js';

const elixir: LanguageReport = {
  name: 'elixir',
  title: 'Elixir',
  aliases: [],
  extensions: ['.exs'],
  compiled: false,
  available: false,
  version: null,
  reason: '"elixir", "erl" are not inside the sandbox. On Debian: apt-get install elixir.',
  debianPackage: 'elixir',
};

test('a language that is not installed has a row with what is missing and the fix, each once', () => {
  const [row] = languageChecks([elixir]);
  expect(row).toMatchObject({
    id: 'language:elixir',
    title: 'Language Elixir',
    required: false,
    state: 'missing',
    found: '"elixir", "erl" are not inside the sandbox.',
    fix: expect.stringMatching(/^On Debian: apt-get install elixir\. .*--toolchain/),
  });
});

test.each([
  ['one without a package', { debianPackage: null }, /^Install it below \/usr\./],
  [
    'one that does not tell its version',
    { reason: '`erl -v` ended with exit (exit code 1) and showed no version.' },
    /^On Debian/,
  ],
])('%s has a fix, too', (_, changes, fix) => {
  const [row] = languageChecks([{ ...elixir, ...changes }]);
  expect(row!.fix).toMatch(fix);
  expect(row!.found).not.toContain('apt-get');
});

test('one that is installed has its version', () => {
  const [row] = languageChecks([{ ...elixir, available: true, version: '1.14.0', reason: null }]);
  expect(row).toMatchObject({ state: 'ok', found: '1.14.0', fix: null });
});
