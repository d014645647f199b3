// The reference of all public names as Markdown, by typedoc from the sources.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesInBuildOrder, readJson, root, scratch, tool } from '../paths.mjs';
import { runQuietly } from '../run.mjs';

/** Where VitePress is installed, and where it finds pages and configuration. */
export const home = join(scratch, 'site');
/** What is made of it, with addresses as on the site. */
export const referenceFolder = join(home, 'reference');

/** What it is made from. */
export const referenceInputs = () => [
  'typedoc.json',
  'pnpm-lock.yaml',
  'scripts/site/package-lock.json',
  'scripts/lib/site/reference.mjs',
  ...packagesInBuildOrder().map((pkg) => join(pkg.folder, 'src')),
];

/** Makes it: a page for each name. */
export async function makeReference() {
  const { $schema, out, ...options } = readJson('typedoc.json');
  const file = join(home, 'typedoc.json');
  const made = {
    ...options,
    entryPoints: options.entryPoints.map((folder) => join(root, folder)),
    packageOptions: { ...options.packageOptions, readme: 'none' },
    readme: 'none',
    plugin: [join(home, 'node_modules/typedoc-plugin-markdown/dist/index.js')],
    out: join(referenceFolder, 'api'),
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
function itemsOf(folder) {
  return readdirSync(join(referenceFolder, folder), { withFileTypes: true })
    .filter(({ name }) => name !== 'index.md')
    .map((entry) => {
      const path = `${folder}/${entry.name}`;
      if (!entry.isDirectory()) return { text: titleOf(entry.name), link: `/${titleOf(path)}` };
      const index = existsSync(join(referenceFolder, path, 'index.md')) ? { link: `/${path}/` } : {};
      return { text: entry.name, ...index, items: itemsOf(path) };
    });
}

/** The sidebars of the reference: the packages, and for each package its names. */
export function referenceSidebars() {
  const names = readdirSync(join(referenceFolder, 'api/@sbx'));
  const packages = names.map((name) => ({ text: `@sbx/${name}`, link: `/api/@sbx/${name}/` }));
  const own = packages.map(({ text, link }) => [
    link,
    [
      { text: 'All packages', link: '/api/' },
      { text, link, items: itemsOf(link.slice(1, -1)) },
    ],
  ]);
  return { '/api/': [{ text: 'Reference', link: '/api/', items: packages }], ...Object.fromEntries(own) };
}
