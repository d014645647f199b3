// `npm run docs:site` builds a site with every page, in the reading order, which loads nothing from another
// host.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasChromium, useBrowser } from '../console/browser.js';
import { listFiles, readText, root } from '../tidy/sources.js';

const HOUR_MS = 3_600_000;
const site = join(root, 'docs/site');
const browser = useBrowser();
const run = promisify(execFile);
let url: string;
let server: AbortController;

/** Builds and shows it as a user does. */
beforeAll(async () => {
  server = new AbortController();
  const command = ['scripts/docs-site.mjs', '--base', '/sbx/', '--serve', '--port', '0'];
  const child = execFile(process.execPath, command, { cwd: root, signal: server.signal }, () => {});
  let output = '';
  url = await new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(output)));
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text) => {
        output += text;
        const shown = /^(http:\S+) \(Ctrl-C/m.exec(output)?.[1];
        if (shown) resolve(shown);
      });
  });
}, HOUR_MS);
afterAll(() => server.abort());

const builtFrom = (page: string) =>
  page
    .replace(/^docs\/README/, 'reading-order')
    .replace(/^docs\//, '')
    .replace(/^README/, 'introduction')
    .replace(/README\.md$/, 'index.md')
    .replace(/CHANGELOG\.md$/, 'changes.md')
    .replace(/\.md$/, '.html');

test('every guide, README, change log and example has its page', () => {
  const pages = listFiles(/^(README|docs\/.*|examples\/.*|packages\/[^/]+\/(README|CHANGELOG))\.md$/);
  expect(pages.length).toBeGreaterThan(80);
  expect(pages.map(builtFrom).filter((page) => !existsSync(join(site, page)))).toEqual([]);
});

test('the home page shows the first program and leads to the guides', () => {
  const html = readText('docs/site/index.html');
  expect(html).toContain('first.mjs');
  for (const page of ['introduction', 'limits', 'troubleshooting', 'support', 'benchmarks'])
    expect(html, page).toMatch(new RegExp(`href="(?:/sbx|\\.)/${page}(?:\\.html)?[#"]`));
});

test('public names have their pages', () => {
  for (const page of ['core/classes/Engine', 'languages/functions/runCode', 'server/functions/createServer'])
    expect(existsSync(join(site, `api/@sbx/${page}.html`)), page).toBe(true);
});

test('the sidebar is the reading order', () => {
  const html = readText('docs/site/limits.html');
  const sidebar = [...html.matchAll(/<a class="VPLink link link" href="\/sbx\/([^"]*)"/g)].map(
    ([, link]) => link!,
  );
  const pages = [...readText('docs/README.md').matchAll(/\]\(((?!\.\.)[^)]*\.md)/g)].map(([, page]) => page!);
  const wanted = [...new Set(pages)].map((page) => page.replace(/\.md$/, '.html'));
  expect(wanted.length).toBeGreaterThan(40);
  expect([...new Set(sidebar)].filter((link) => wanted.includes(link))).toEqual(wanted);
});

test.skipIf(!hasChromium)('a browser reads and searches it without another host', async () => {
  await using opened = await browser.open(`${url}limits.html`);
  const { page, complaints } = opened;
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  for (const name of ['', 'reading-order.html', 'protocols/console.html', 'api/@sbx/core/'])
    await page.goto(url + name, { waitUntil: 'networkidle' });
  await page.goto(`${url}cluster.html`);
  await page.locator('.diagram svg').getByText('leased').waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input').fill('memory limit');
  await page.locator('#localsearch-list a').first().click();
  await page.waitForURL((address) => address.pathname !== '/sbx/cluster.html');
  expect([...hosts]).toEqual([new URL(url).host]);
  expect(complaints).toEqual([]);
});

test('flags that are wrong are named', async () => {
  const command = ['scripts/docs-site.mjs', '--base', 'sbx'];
  await expect(run(process.execPath, command, { cwd: root })).rejects.toMatchObject({
    code: 2,
    stderr: 'docs:site: --base sbx: must begin and end with a slash, as /sbx/\n',
  });
});
