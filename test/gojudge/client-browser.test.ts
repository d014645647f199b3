// The client as a browser gets it: bundled with a browser's conditions, without Node's own modules.
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { build, stop } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useServer } from './server.js';

const server = useServer();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbx-gojudge-browser-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** As a page loads it. */
async function bundle(entry: string) {
  const result = await build({
    stdin: { contents: `export * from '${entry}';`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  await stop(); // its process would count as left over
  return { text: result.outputFiles[0]!.text, inputs: Object.keys(result.metafile.inputs) };
}

test('no module of Node, no dependency', async () => {
  const { text, inputs } = await bundle('@sbx/gojudge-client');
  expect(text).not.toMatch(/["']node:/);
  expect(inputs.filter((path) => /node_modules\/\.pnpm\/(ws|undici)/.test(path))).toEqual([]);
  expect(inputs.filter((path) => path.includes('node.js'))).toEqual([]);
  expect(text.length).toBeLessThan(31_100);
});

test('the bundle runs programs, moves files and talks over sockets', async () => {
  const { text } = await bundle('@sbx/gojudge-client');
  const file = join(folder, 'client.mjs');
  writeFileSync(file, text);
  const before = globalThis.WebSocket;
  Object.assign(globalThis, { document: {}, WebSocket });
  try {
    const { GojudgeClient } = (await import(file)) as typeof import('@sbx/gojudge-client');
    const client = new GojudgeClient({ url: server.url });
    async function* pieces() {
      yield new TextEncoder().encode('in ');
      yield new TextEncoder().encode('pieces');
    }
    await using upload = await client.upload(pieces(), 'x'); // browsers cannot stream: gathered first
    expect((await client.run({ args: ['/bin/cat'], stdin: upload })).stdout).toBe('in pieces');
    await using session = await client.connect();
    expect((await session.run({ args: ['/bin/echo', 'x'] })).stdout).toBe('x\n');
    await using run = await client.interact({ args: ['/bin/echo', 'y'] });
    expect(await run.text()).toBe('y\n');
    await using guarded = await createGojudgeServer({
      token: 'secret',
      port: 0,
      engine: server.server.engine,
    });
    const [url] = (await guarded.listen()).urls as [string];
    const guardedCalls = new GojudgeClient({ url, token: 'secret', retries: 0 });
    // As a subprotocol: a browser cannot set headers of an upgrade.
    await using withToken = await guardedCalls.connect();
    expect((await withToken.run({ args: ['/bin/echo', 'z'] })).stdout).toBe('z\n');
    const wrong = new GojudgeClient({ url, token: 'wrong', retries: 0 });
    await expect(wrong.connect()).rejects.toMatchObject({ code: 'GOJUDGE_CONNECTION' });
  } finally {
    Object.assign(globalThis, { WebSocket: before });
    Reflect.deleteProperty(globalThis, 'document');
  }
});
