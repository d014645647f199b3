// `sbx serve` without a protocol, and the end of the tour.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import { describe, expect, test } from 'vitest';
import { ended, sbx, startSbx } from '../cli/sbx.js';
import { root } from '../tidy/sources.js';

/** Text of a stream up to what is looked for. */
async function until(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<RegExpExecArray> {
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    const found = wanted.exec(text);
    if (found !== null) return found;
  }
  throw new Error(`it ended without ${wanted}: ${text}`);
}

describe('sbx serve', () => {
  test('everything on one port until a signal, with one object when ready', async () => {
    const child = startSbx(['serve', '--port', '0', '--json', '--standby', 'none', '--token', 'secret']);
    const end = once(child, 'close');
    const [text] = await until(child.stdout, /^\{[\s\S]*^\}/m);
    const ready = JSON.parse(text) as { urls: string[] };
    expect(ready).toMatchObject({
      version: 1,
      command: 'serve',
      protocols: ['gojudge', 'fathom', 'mcp'],
      console: true,
    });
    const [url] = ready.urls as [string];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await using gojudge = new GojudgeClient({ url, token: 'secret' });
    expect((await gojudge.run({ args: ['/bin/echo', 'x'] })).stdout).toBe('x\n');
    await using fathom = new FathomClient({ url: `${url}/fathom`, token: 'secret' });
    expect((await fathom.execute({ language: 'shell', code: 'echo y' })).stdout).toBe('y\n');
    expect((await fetch(url)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    child.kill('SIGTERM');
    expect(await end).toEqual([0, null]);
  });

  test('flags choose parts', async () => {
    const flags = ['--port', '0', '--json', '--no-console', '--protocols', 'gojudge'];
    const child = startSbx(['serve', ...flags]);
    const end = once(child, 'close');
    const [text] = await until(child.stdout, /^\{[\s\S]*^\}/m);
    const { urls, protocols } = JSON.parse(text) as { urls: string[]; protocols: string[] };
    expect(protocols).toEqual(['gojudge']);
    expect((await fetch(urls[0]!)).status).toBe(404);
    expect((await fetch(`${urls[0]}/fathom`)).status).toBe(404);
    expect((await fetch(`${urls[0]}/version`)).status).toBe(200);
    child.kill('SIGINT');
    expect(await end).toEqual([0, null]);
  });

  test.each([
    [['--protocols', 'fifo'], /--protocols must be one of gojudge, fathom, mcp/],
    [['--allow-origin', 'https://a.example/x'], /--allow-origin must be an origin as browsers send it/],
    [['--languages', 'cobol'], /--languages must be a known language; got "cobol"/],
    [['--port', 'x'], /--port/],
    [['--prt', '1'], /unknown option '--prt'/],
  ])('%j is a wrong command line', async (flags, message) => {
    const { code, stderr } = await sbx(['serve', ...flags]);
    expect(stderr).toMatch(message);
    expect(code).toBe(64);
  });

  test('an unknown protocol is one, too', async () => {
    const { code, stderr } = await sbx(['serve', 'fathm']);
    expect(code).toBe(64);
    expect(stderr).not.toContain('ready');
  });

  test("a protocol's options are its own", async () => {
    const child = startSbx(['serve', 'fathom', '--port', '0', '--json', '--standby', 'none']);
    const [text] = await until(child.stdout, /^\{[\s\S]*^\}/m);
    expect((JSON.parse(text) as { urls: string[] }).urls[0]).toMatch(/^ws:.*\/ws$/);
    child.kill('SIGTERM');
    expect((await ended(child)).code).toBe(0);
  });
});

test('npm start ends with a console, and nothing is left after a signal', { timeout: 120_000 }, async () => {
  const child = spawn(process.execPath, ['test/tour/main.mjs'], { cwd: root });
  const end = once(child, 'close');
  const [, url] = await until(child.stdout, /are at (http:\S+);/);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGINT');
  expect((await end)[1]).toBe(null);
});
