// What VitePress does not look at: that the anchors of links are there, and that nothing is loaded from
// another host.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const filesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => ending.test(name))
    .sort();

export const pageNames = (folder) => filesIn(folder, /\.html$/);

const decode = (text) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

const attributes = (html, names) =>
  [...html.matchAll(new RegExp(`\\s(?:${names})="([^"]*)"`, 'g'))].map(([, value]) => decode(value));

/** Links of the built pages to a page or an anchor that is not there. */
export function brokenLinks(folder, base) {
  const pages = new Map(
    pageNames(folder).map((name) => {
      const html = readFileSync(join(folder, name), 'utf8');
      return [name, { links: attributes(html, 'href|src'), ids: new Set(attributes(html, 'id')) }];
    }),
  );
  const site = { folder, base, pages };
  const broken = [...pages].flatMap(([name, { links }]) =>
    links
      .filter((link) => !leadsSomewhere(link, name, site))
      .map((link) => `${name}: the link to ${link} leads nowhere`),
  );
  return [...new Set(broken)];
}

function leadsSomewhere(link, name, { folder, base, pages }) {
  if (/^[a-z]+:/.test(link)) return true;
  const [path, anchor] = decodeURI(link).split('#');
  const target = path === '' ? name : fileOf(path, name, base);
  if (target === undefined || !existsSync(join(folder, target))) return false;
  return !anchor || !pages.has(target) || pages.get(target).ids.has(anchor);
}

/** The file behind an address of the site. */
function fileOf(path, name, base) {
  if (path.startsWith('/') && !path.startsWith(base)) return undefined;
  const file = path.startsWith('/') ? path.slice(base.length) : join(dirname(name), path);
  return file === '' || file.endsWith('/') ? `${file}index.html` : file;
}

const TAGS_THAT_LOAD = /<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*>/g;
const OTHER_HOST = /^(?:[a-z]+:)?\/\//;

/** What pages and styles would load from another host. */
export function foreignLoads(folder) {
  const found = filesIn(folder, /\.(html|css)$/).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const inTags = (text.match(TAGS_THAT_LOAD) ?? []).flatMap((tag) => attributes(tag, 'href|src|data'));
    const inStyles = name.endsWith('.css')
      ? [...text.matchAll(/(?:url\(|@import\s*)["']?([^"')\s]+)/g)].map(([, address]) => address)
      : [];
    return [...inTags, ...inStyles]
      .filter((address) => OTHER_HOST.test(address))
      .map((address) => `${name}: loads ${address}`);
  });
  return [...new Set(found)];
}
