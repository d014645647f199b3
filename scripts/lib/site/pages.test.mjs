import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../pack-docs.mjs';
import { root } from '../paths.mjs';
import { siteLink, sitePages, siteText, withLinks } from './pages.mjs';

const pages = sitePages();

test.each([
  ['README.md', 'docs/limits.md#verdicts', './limits.md#verdicts'],
  ['docs/cli.md', '../README.md', './introduction.md'],
  ['docs/protocols/fifo.md', '../../packages/core/README.md', '../packages/core/index.md'],
  ['README.md', 'docs/images/console-run.png', '/images/console-run.png'],
  ['docs/README.md', '../native/protocol', `${REPOSITORY}/tree/main/native/protocol`],
  ['docs/README.md', '../native/helper/init.cc', `${REPOSITORY}/blob/main/native/helper/init.cc`],
])('the link of %s to %s', (page, link, expected) => {
  expect(siteLink(page, link, pages)).toBe(expected);
});

test('a link to nothing is an error that names page and link', () => {
  expect(() => siteLink('docs/cli.md', 'limitz.md', pages)).toThrow(
    'docs/cli.md: the link to limitz.md leads nowhere',
  );
});

test('links in blocks of code stay, as do those to other hosts and within the page', () => {
  const text = '[a](b.md)\n```js\nx[0](y)\n```\n[c](https://example.org) [d](#e)\n';
  expect(withLinks(text, (link) => `to/${link}`)).toBe(text.replace('b.md', 'to/b.md'));
});

test("the home page has README's first program, with links that lead to pages of the site", () => {
  const home = siteText('scripts/site/home.md', pages);
  expect(home).toContain('## Install\n\n```sh\nnpm install @sbx/core\n```\n\n```js\n// first.mjs');
  expect(home).toContain('[stable code](./errors.md)');
  expect(home).toContain('[limits and verdicts](./limits.md)');
  expect(home).not.toContain('<!--');
});

test('figures of the home page are in docs/benchmarks.md', () => {
  const [, table] = readFileSync(join(root, 'scripts/site/home.md'), 'utf8').split('## Figures');
  const figures = [...table.matchAll(/\d+(?:[.–]\d+)*/g)].map(([figure]) => figure);
  const benchmarks = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8');
  expect(figures.length).toBeGreaterThan(7);
  expect(figures.filter((figure) => !benchmarks.includes(figure))).toEqual([]);
});
