// Shows the built site on loopback.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { siteFolder } from './build.mjs';
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
