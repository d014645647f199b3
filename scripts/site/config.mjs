// The configuration of VitePress. scripts/docs-site.mjs copies it beside the pages that it makes, with the
// sidebar as a file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { sidebar, base, repository } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'site.json'), 'utf8'),
);

/** As GitHub makes anchors of headings: links within the repository hold on the site. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Mn}_\- ]/gu, '')
    .replaceAll(' ', '-');

export default {
  title: 'sbx',
  description: 'Run untrusted programs on Linux, measured and confined',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  srcDir: 'pages',
  cacheDir: 'cache',
  lastUpdated: false,
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: {
    logo: '/icon.svg',
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // A name is in many pages of the reference; what explains it comes first.
          searchOptions: { boostDocument: (id) => (id.includes('/api/') ? 0.3 : 1) },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
    nav: [
      { text: 'Guides', link: '/reading-order' },
      { text: 'Examples', link: '/examples/' },
      { text: 'Reference', link: '/api/' },
    ],
  },
};
