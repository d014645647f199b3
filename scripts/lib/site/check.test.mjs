import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { brokenLinks, foreignLoads } from './check.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-site-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

test('links to pages, folders, anchors and files that are there are fine', () => {
  write('index.html', '<a href="/b/a/c.html#one">x</a> <a href="a/">y</a> <img src="/b/d.png">');
  write('a/index.html', '<a href="#here">x</a><p id="here">');
  write(
    'a/c.html',
    '<h2 id="one">x</h2> <a href="../index.html">y</a> <a href="https://example.org/no">z</a>',
  );
  write('d.png', '');
  expect(brokenLinks(folder, '/b/')).toEqual([]);
});

test('a page, an anchor or an image that is missing is named, and an address outside of the base', () => {
  write(
    'index.html',
    '<a href="/b/c.html">x</a> <a href="d.html#two">y</a> <img src="/b/d.png"> <a href="/c">z</a>',
  );
  write('d.html', '<h2 id="one">x</h2>');
  const links = ['/b/c.html', 'd.html#two', '/b/d.png', '/c'];
  expect(brokenLinks(folder, '/b/')).toEqual(
    links.map((link) => `index.html: the link to ${link} leads nowhere`),
  );
});

test('what another host would serve is named; a link to it is fine', () => {
  write('index.html', '<a href="https://example.org/">x</a><script src="//cdn.example.org/x.js"></script>');
  write('x.css', '@import "https://example.org/a.css"; p { background: url(https://example.org/b.png) }');
  write('y.css', 'p { background: url(/b.png) } q { background: url(data:image/png;base64,//) }');
  expect(foreignLoads(folder)).toEqual([
    'index.html: loads //cdn.example.org/x.js',
    'x.css: loads https://example.org/a.css',
    'x.css: loads https://example.org/b.png',
  ]);
});
