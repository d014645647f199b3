// docs/cli.md and docs/troubleshooting.md say what the tables say.
import { readdirSync, readFileSync } from 'node:fs';
import { FEATURES } from '@sbx/core';
import { expect, test } from 'vitest';
import { EXIT } from './exit-codes.js';
import { LIMIT_FLAGS } from './limit-flags.js';
import { runMain } from './program.js';
import { captured } from './testing/captured.js';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

test('every option of sbx run stands there, with the same limits', async () => {
  const { stdout: help } = await captured(() => runMain(['run', '--help']));
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]!);
  expect(flags.length).toBeGreaterThan(LIMIT_FLAGS.length);
  const missing = flags.filter(
    (flag) => flag !== '--help' && !new RegExp(`^\\| .*\`${flag}[ \`]`, 'm').test(page),
  );
  expect(missing).toEqual([]);
});

test.each([
  [['serve'], '## sbx serve\n', '## sbx serve fathom', 10],
  [['serve', 'fathom'], '## sbx serve fathom', '## sbx serve gojudge', 15],
])('every option of sbx %s stands there', async (words, from, to, count) => {
  const { stdout: help } = await captured(() => runMain([...words, '--help']));
  const flags = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1]!);
  expect(flags.length).toBeGreaterThan(count);
  const section = page.slice(page.indexOf(from), page.indexOf(to));
  expect(flags.filter((flag) => !section.includes(`\`${flag}`))).toEqual([]);
});

test('every option of sbx worker stands there', async () => {
  const { stdout: help } = await captured(() => runMain(['worker', '--help']));
  const flags = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1]!);
  expect(flags.length).toBeGreaterThan(10);
  const section = page.slice(page.indexOf('## sbx worker'), page.indexOf('## sbx cluster status'));
  expect(flags.filter((flag) => !section.includes(`\`${flag}`))).toEqual([]);
});

test('every exit code of our own stands there', () => {
  const { ok: _ok, failed: _failed, ...codes } = EXIT;
  const missing = Object.values(codes).filter(
    (code) => !new RegExp(`^\\|[^|]*\\b${code}\\b[^|]*\\|`, 'm').test(page),
  );
  expect(missing).toEqual([]);
});

test('every check of sbx doctor has its row', () => {
  const folder = new URL('./doctor/', import.meta.url);
  const sources = readdirSync(folder).filter((name) => name.endsWith('checks.ts'));
  const ids = sources.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/\bid: '([\w-]+)'/g)].map((match) => match[1]!),
  );
  expect(ids.length).toBeGreaterThan(14);
  const wanted = [...ids, ...FEATURES.map((name) => `feature:${name}`), 'language:NAME'];
  const guide = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([\w:-]+)` \|/gm)].map((match) => match[1]!);
  expect(wanted.filter((id) => !rows.includes(id))).toEqual([]);
});
