// Which pages of the repository the site shows, under which addresses, and with which links: those to pages
// of the site lead there, those to sources lead to the repository.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, posix } from 'node:path';
import { REPOSITORY } from '../pack-docs.mjs';
import { packagesInBuildOrder, root } from '../paths.mjs';

/** Pages whose address is not where they are in the repository. */
const OWN_ADDRESSES = {
  'scripts/site/home.md': 'index.md',
  'README.md': 'introduction.md',
  'docs/README.md': 'reading-order.md',
  'CONTRIBUTING.md': 'contributing.md',
  // Beside docs/security.md, on file systems that do not tell large letters from small ones.
  'SECURITY.md': 'reporting.md',
  'examples/README.md': 'examples/index.md',
};

const IMAGES = 'docs/images/';
const MADE_BY_BUILD = ['api', 'site'];

const markdownIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !MADE_BY_BUILD.includes(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return markdownIn(path);
      return entry.name.endsWith('.md') ? [path] : [];
    });

function packagePages() {
  const names = packagesInBuildOrder().flatMap(({ folder }) => [
    posix.join(folder, 'README.md'),
    posix.join(folder, 'CHANGELOG.md'),
  ]);
  return names.filter((name) => existsSync(join(root, name)));
}

function addressOf(page) {
  if (OWN_ADDRESSES[page]) return OWN_ADDRESSES[page];
  if (page.startsWith('docs/')) return page.slice('docs/'.length);
  return page.replace(/README\.md$/, 'index.md').replace(/CHANGELOG\.md$/, 'changes.md');
}

/** Each page's file in the repository, with its file in the site. */
export function sitePages() {
  const pages = [
    ...Object.keys(OWN_ADDRESSES),
    ...markdownIn('docs'),
    ...markdownIn('examples'),
    ...packagePages(),
  ];
  return new Map(pages.map((page) => [page, addressOf(page)]));
}

/** Where a link of a page leads on the site; `link` is relative to the page's file. */
export function siteLink(page, link, pages) {
  const [path, anchor = ''] = link.split(/(?=#)/);
  const target = normalize(join(dirname(page), path));
  const from = dirname(pages.get(page));
  if (pages.has(target)) return relativeTo(from, pages.get(target)) + anchor;
  if (target.startsWith(IMAGES)) return `/${target.slice('docs/'.length)}`;
  if (!existsSync(join(root, target))) throw new Error(`${page}: the link to ${link} leads nowhere`);
  const kind = statSync(join(root, target)).isDirectory() ? 'tree' : 'blob';
  return `${REPOSITORY}/${kind}/main/${target.replace(/\/$/, '')}${anchor}`;
}

function relativeTo(folder, target) {
  const path = posix.relative(folder, target);
  return path.startsWith('.') ? path : `./${path}`;
}

/** The text with every link replaced by what `replace` makes of it; blocks of code stay as they are. */
export function withLinks(text, replace) {
  return text
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(/\]\((?!\w+:|#)([^)\s]+)/g, (_, link) => `](${replace(link)}`),
    )
    .join('');
}

const readPage = (page) => readFileSync(join(root, page), 'utf8');

/** A section of README, for pages that show it as well. */
function sectionOfReadme(heading) {
  const [, section] = readPage('README.md').split(new RegExp(`^(?=## ${heading}$)`, 'm'));
  if (section === undefined) throw new Error(`README.md has no section "${heading}"`);
  return section.split(/^(?=## )/m)[0];
}

/** A page as the site has it. Sections of README are put in with README's links, which lie beside it. */
export function siteText(page, pages) {
  const withOwnLinks = (name, text) => withLinks(text, (link) => siteLink(name, link, pages));
  return withOwnLinks(page, readPage(page)).replace(/^<!-- README: (.+) -->$/gm, (_, heading) =>
    withOwnLinks('README.md', sectionOfReadme(heading)),
  );
}

/** Writes those pages that are not as they should be, their images and the console's icon to `folder`. */
export function writePages(folder, pages) {
  for (const [page, address] of pages) {
    const text = siteText(page, pages);
    const path = join(folder, address);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  cpSync(join(root, 'packages/console/site/public'), join(folder, 'public'), { recursive: true });
  cpSync(join(root, IMAGES), join(folder, 'public/images'), { recursive: true });
}
