// Shows the site on loopback: as it was built, or live while its pages are written.
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../paths.mjs';
import { prepareSite, siteFolder } from './build.mjs';
import { sitePages, writePages } from './pages.mjs';
import { home } from './reference.mjs';

/** Begins to serve it, and returns its address; the server lives as long as the process. */
export async function serveSite(base, port) {
  const vite = join(home, 'node_modules/vite/dist/node/index.js');
  const { preview } = await import(pathToFileURL(vite).href);
  const server = await preview({
    configFile: false,
    appType: 'mpa',
    base,
    build: { outDir: siteFolder },
    preview: { host: '127.0.0.1', port, strictPort: true },
  });
  return server.resolvedUrls.local[0];
}

/** Editors write a file in several steps. */
const SETTLE_MS = 100;

/** Writes the pages again when something changes in a folder that has some; what is wrong is said. */
function rewriteOnChange() {
  let timer;
  const rewrite = () => {
    try {
      writePages(join(home, 'pages'), sitePages());
    } catch (error) {
      console.error(`docs:site: ${error.message}`);
    }
  };
  for (const folder of new Set([...sitePages().keys()].map(dirname))) {
    watch(join(root, folder), () => {
      clearTimeout(timer);
      timer = setTimeout(rewrite, SETTLE_MS);
    });
  }
}

/** The same by VitePress's own server, without a build: a browser shows each change as it is saved. */
export async function serveLive(base, port) {
  await prepareSite(base);
  const vitepress = join(home, 'node_modules/vitepress/dist/node/index.js');
  const { createServer } = await import(pathToFileURL(vitepress).href);
  const server = await createServer(home, { base, host: '127.0.0.1', port, strictPort: true });
  await server.listen();
  rewriteOnChange();
  return server.resolvedUrls.local[0];
}
