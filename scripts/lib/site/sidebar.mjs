// The sidebar of all but the reference: the reading order of docs/README.md, then packages in the order of
// the README's table, and the examples.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../paths.mjs';
import { siteLink } from './pages.mjs';

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

const textOf = (markdown) => markdown.replaceAll('`', '').replaceAll(/\s+/g, ' ');

/** The links of some Markdown that lead to other pages of the site, each page once, in their order. */
function itemsOf(page, markdown, pages) {
  const items = new Map();
  for (const [, text, link] of markdown.matchAll(LINK)) {
    if (/^(\w+:|#)/.test(link)) continue;
    const target = siteLink(page, link, pages);
    if (target.startsWith('https:')) continue;
    const address = addressOf(join('/', dirname(pages.get(page)), target));
    if (!items.has(address)) items.set(address, { text: sentenceCase(textOf(text)), link: address });
  }
  return [...items.values()];
}

/** As browsers ask for it. */
const addressOf = (file) => file.replace(/\/index\.md(#|$)/, '/$1').replace(/\.md(#|$)/, '$1');

const sentenceCase = (text) => (text.startsWith('@') ? text : text[0].toUpperCase() + text.slice(1));

/** The sections of a page with their links: `## Heading` and what follows it. */
function sectionsOf(page, pages) {
  const text = readFileSync(join(root, page), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf('\n');
      return { text: textOf(section.slice(0, end)), items: itemsOf(page, section.slice(end), pages) };
    })
    .filter(({ items }) => items.length > 0);
}

/** Names of packages, each with its page; what else the table links to is in the reading order. */
function packageItems(pages) {
  const { items } = sectionsOf('README.md', pages).find(({ text }) => text === 'Packages');
  return items
    .filter(({ link }) => link.startsWith('/packages/'))
    .map((item) => ({ ...item, items: [{ text: 'Changes', link: `${item.link}changes` }], collapsed: true }));
}

export function guideSidebar(pages) {
  const reading = sectionsOf('docs/README.md', pages);
  const examples = itemsOf(
    'examples/README.md',
    readFileSync(join(root, 'examples/README.md'), 'utf8'),
    pages,
  );
  return [
    { text: 'Reading order', link: '/reading-order' },
    ...reading.map((section, index) => ({ ...section, collapsed: index > 1 })),
    { text: 'Packages', collapsed: false, items: packageItems(pages) },
    { text: 'Examples', link: '/examples/', collapsed: true, items: examples },
    { text: 'Reference', link: '/api/' },
  ];
}
