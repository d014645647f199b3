// `prepack` and `postpack` of every package: the pages that its users need travel with it, in a folder `docs`
// that is there while it is packed. Links to what does not travel lead to the repository.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { root } from './paths.mjs';

export const REPOSITORY = 'https://github.com/sbx-project/sbx';

const ENGINE_PAGES = ['limits.md', 'errors.md', 'security.md', 'architecture.md'];

/** Pages by folder of the package. */
export const PAGES = {
  adapters: ['limits.md', 'security.md'],
  core: ENGINE_PAGES,
  languages: ['languages.md'],
  cluster: ['cluster.md', 'limits.md'],
  cli: ['cli.md', 'limits.md'],
  'fifo-protocol': ['protocols/fifo.md'],
  'fifo-client': ['protocols/fifo.md'],
  'fathom-server': ['protocols/fathom.md'],
  'fathom-client': ['protocols/fathom.md'],
  'gojudge-server': ['protocols/gojudge.md'],
  'gojudge-client': ['protocols/gojudge.md'],
  mcp: ['protocols/mcp.md', 'limits.md'],
  console: ['protocols/console.md'],
  server: ['protocols/console.md', 'protocols/gojudge.md', 'protocols/fathom.md', 'protocols/mcp.md'],
};

/** A page of `docs/` with links that hold in the folder of a package. */
export function packedPage(page, pages) {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  return text.replace(/\]\((?!https?:|#|mailto:)([^)\s]+)\)/g, (_, link) => {
    const [path, anchor = ''] = link.split(/(?=#)/);
    const target = normalize(join('docs', dirname(page), path));
    const packed = pages.find((each) => join('docs', each) === target);
    if (packed !== undefined) return `](${relative(dirname(page), packed) || basename(packed)}${anchor})`;
    return `](${REPOSITORY}/blob/main/${target}${anchor})`;
  });
}

/** Writes the pages of the package in `folder`. */
export function writePages(folder) {
  const pages = PAGES[basename(folder)];
  if (pages === undefined) throw new Error(`scripts/lib/pack-docs.mjs has no pages for ${folder}`);
  for (const page of pages) {
    const path = join(folder, 'docs', page);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, packedPage(page, pages));
  }
}

if (process.argv[1] === import.meta.filename) {
  const folder = process.cwd();
  rmSync(join(folder, 'docs'), { recursive: true, force: true });
  if (process.argv[2] !== 'remove') writePages(folder);
}
