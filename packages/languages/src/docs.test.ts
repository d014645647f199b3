// docs/languages.md says what the table of languages says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { languages } from './index.js';

const page = readFileSync(new URL('../../../docs/languages.md', import.meta.url), 'utf8');

test.each(languages.list().map((language) => [language.name, language] as const))('%s', (name, language) => {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '';
  const [, , aliases, files, , , debian] = row.split('|').map((cell) => cell.trim());
  const quoted = (words: readonly string[]) => words.map((word) => `\`${word}\``);
  expect(aliases).toBe(quoted(language.aliases).join(', '));
  expect(files).toBe(quoted(language.extensions).join(' '));
  expect(debian).toBe(language.debianPackage ?? '');
});
