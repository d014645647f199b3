// The configuration of VitePress. scripts/docs-site.mjs copies it beside the pages that it makes, with the
// sidebar as a file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';

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

const COLOURS = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-2)',
  muted: 'var(--vp-c-text-1)',
};

/** The drawing of a diagram in the page's own colours; the page has the font that it would ask a host for. */
function drawingOf(source) {
  const svg = renderMermaidSVG(source, COLOURS).replace(/@import url\([^)]*\);/, '');
  // As a value of Vue's, because templates have no styles.
  const value = JSON.stringify(svg)
    .replaceAll('&', '&amp;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&quot;');
  return `<div class="diagram" v-html="${value}"></div>\n`;
}

function drawDiagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info.trim() === 'mermaid'
      ? drawingOf(tokens[index].content)
      : fence(tokens, index, ...rest);
}

export default {
  title: 'sbx',
  description: 'Run untrusted programs on Linux, measured and confined',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  srcDir: 'pages',
  cacheDir: 'cache',
  lastUpdated: false,
  markdown: { anchor: { slugify: anchorOf }, config: drawDiagrams },
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
      { text: 'Introduction', link: '/introduction' },
      { text: 'Guides', link: '/reading-order' },
      { text: 'Examples', link: '/examples/' },
      { text: 'Reference', link: '/api/' },
    ],
  },
};
