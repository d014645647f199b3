import { expect, test } from 'vitest';
import { REPOSITORY } from '../pack-docs.mjs';
import { siteLink, sitePages, withLinks } from './pages.mjs';

const pages = sitePages();

test.each([
  ['README.md', 'docs/limits.md#verdicts', './limits.md#verdicts'],
  ['docs/cli.md', '../README.md', './index.md'],
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
