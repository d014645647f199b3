// The reference of all public names as Markdown, by typedoc from the sources.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root, tool } from '../paths.mjs';
import { runQuietly } from '../run.mjs';

/** Writes it to `pages/api` of the site's `home`: a page for each name. */
export async function writeReference(home) {
  const { $schema, out, ...options } = readJson('typedoc.json');
  const file = join(home, 'typedoc.json');
  const made = {
    ...options,
    entryPoints: options.entryPoints.map((folder) => join(root, folder)),
    packageOptions: { ...options.packageOptions, readme: 'none' },
    readme: 'none',
    plugin: [join(home, 'node_modules/typedoc-plugin-markdown/dist/index.js')],
    out: join(home, 'pages/api'),
    entryFileName: 'index',
    hidePageHeader: true,
    hideBreadcrumbs: false,
    // VitePress takes Markdown for templates: what looks like a tag would be one.
    useHTMLEncodedBrackets: true,
    sanitizeComments: true,
  };
  writeFileSync(file, JSON.stringify(made));
  await runQuietly(process.execPath, [tool.typedoc, '--options', file]);
}

const titleOf = (name) => name.replace(/\.md$/, '');

/** The items of the sidebar for a folder of the reference: its pages, and its folders with theirs. */
function itemsOf(home, folder) {
  const entries = readdirSync(join(home, 'pages', folder), { withFileTypes: true });
  return entries
    .filter(({ name }) => name !== 'index.md')
    .map((entry) => {
      const path = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return { text: titleOf(entry.name), link: `/${titleOf(path)}` };
      const index = existsSync(join(home, 'pages', path, 'index.md')) ? { link: `/${path}/` } : {};
      return { text: entry.name, ...index, items: itemsOf(home, path) };
    });
}

/** The sidebars of the reference: the packages, and for each package its names. */
export function referenceSidebars(home) {
  const names = readdirSync(join(home, 'pages/api/@sbx'));
  const packages = names.map((name) => ({ text: `@sbx/${name}`, link: `/api/@sbx/${name}/` }));
  const own = packages.map(({ text, link }) => [
    link,
    [
      { text: 'All packages', link: '/api/' },
      { text, link, items: itemsOf(home, link.slice(1, -1)) },
    ],
  ]);
  return { '/api/': [{ text: 'Reference', link: '/api/', items: packages }], ...Object.fromEntries(own) };
}
