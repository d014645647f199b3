// The documentation site: pages of the repository, and the reference that typedoc makes, built by VitePress.
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../pack-docs.mjs';
import { root } from '../paths.mjs';
import { runQuietly } from '../run.mjs';
import { provideSiteParts } from '../setup.mjs';
import { brokenLinks, foreignLoads, pageNames } from './check.mjs';
import { sitePages, writePages } from './pages.mjs';
import { home, referenceFolder, referenceSidebars } from './reference.mjs';
import { guideSidebar } from './sidebar.mjs';

export const siteFolder = join(root, 'docs/site');

/** Makes all that VitePress reads, for the address path `base`. */
export async function prepareSite(base) {
  await provideSiteParts();
  rmSync(join(home, 'pages'), { recursive: true, force: true });
  const pages = sitePages();
  writePages(join(home, 'pages'), pages);
  cpSync(referenceFolder, join(home, 'pages'), { recursive: true });
  const sidebar = { '/': guideSidebar(pages), ...referenceSidebars() };
  mkdirSync(join(home, '.vitepress'), { recursive: true });
  copyFileSync(join(root, 'scripts/site/config.mjs'), join(home, '.vitepress/config.mjs'));
  writeFileSync(
    join(home, '.vitepress/site.json'),
    JSON.stringify({ sidebar, base, repository: REPOSITORY }),
  );
}

/** Builds it for the address path `base`; returns a sentence about it. Dead links are an error. */
export async function buildSite(base) {
  await prepareSite(base);
  const vitepress = join(home, 'node_modules/vitepress/bin/vitepress.js');
  rmSync(siteFolder, { recursive: true, force: true });
  await runQuietly(process.execPath, [vitepress, 'build', home, '--outDir', siteFolder]);
  const wrong = [...brokenLinks(siteFolder, base), ...foreignLoads(siteFolder)];
  if (wrong.length > 0) throw new Error(`the site is not as it should be:\n${wrong.join('\n')}`);
  return `docs/site: ${pageNames(siteFolder).length} pages`;
}
