// `sbx serve fathom` as it is installed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ended, sbx, startSbx } from '../cli/sbx.js';
import { Talk } from './server.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-fathom-test-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, '  file-token\n');
afterAll(() => rmSync(folder, { recursive: true }));

/** The command, when it is ready. */
async function serve(args: string[]) {
  const child = startSbx(['serve', 'fathom', '--port', '0', '--json', ...args]);
  const end = ended(child);
  let out = '';
  const ready = await new Promise<{ urls: string[]; languages: string[] }>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      out += text;
      if (out.trimEnd().endsWith('}')) resolve(JSON.parse(out));
    });
    void end.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { url: ready.urls[0]!, languages: ready.languages, child, end };
}

test('serves until SIGTERM, with a token from a file and limits of its own, and logs no secret', async () => {
  const args = [
    '--token-file',
    tokenFile,
    '--languages',
    'shell,python',
    '--max-timeout',
    '2s',
    '--max-memory',
    '128MiB',
    '--verbose',
  ];
  const { url, languages, child, end } = await serve(args);
  expect(languages).toEqual(['shell', 'python']);
  const talk = await Talk.open(url, { headers: { Authorization: 'Bearer file-token' } });
  expect((await talk.run({ code: 'echo SECRET', limits: { timeout_ms: 2000, memory_mb: 128 } })).stdout).toBe(
    'SECRET\n',
  );
  expect((await talk.run({ code: '', limits: { timeout_ms: 2001, memory_mb: 128 } })).sequence).toBe(
    'error:INVALID_REQUEST',
  );
  expect(
    (await talk.run({ code: '', language: 'elixir', limits: { timeout_ms: 2000, memory_mb: 128 } })).sequence,
  ).toBe('error:LANGUAGE_NOT_SUPPORTED');
  const id = talk.start({ code: 'sleep 60', limits: { timeout_ms: 2000, memory_mb: 128 } });
  await talk.running(id);
  child.kill('SIGTERM');
  expect((await talk.fate(id)).error?.code).toBe('INTERNAL_ERROR');
  expect((await talk.end()).code).toBe(1001);
  const { code, stderr } = await end;
  expect(code).toBe(0);
  const logged = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(logged[0]).toMatchObject({ level: 30, urls: [url], msg: expect.stringMatching(/^ready: ws:/) });
  expect(stderr).toMatch(/"execution ended"/);
  expect(stderr).not.toMatch(/SECRET|file-token/);
});

describe('wrong usage', () => {
  test.each([
    [['--port', 'x'], 64, /--port/],
    [['--max-timeout', '5'], 64, /--max-timeout.*unit/],
    [['--standby', 'python'], 64, /--standby/],
    [['--token-file', '/nowhere'], 66, /--token-file/],
    [['--token', 'a', '--token-file', tokenFile], 64, /token/],
    [['--languages', 'klingon'], 64, /language/],
    [['--host', '192.0.2.1', '--port', '0'], 74, /listen/],
    [['--colour'], 64, /unknown option/],
    [['--port', '99999'], 64, /--port must be at most 65535/],
    [['--token', ''], 64, /--token must have at least 1/],
    [['--standby', 'klingon=1'], 64, /--standby must name languages on offer.*klingon/],
    [['--languages', 'shell,shell'], 64, /--languages must name each language once/],
    [['--host', 'nowhere.invalid', '--port', '0'], 74, /cannot listen.*\n.*--host/],
  ])('%j', async (args, exitCode, text) => {
    const { code, stderr } = await sbx(['serve', 'fathom', ...args]);
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringMatching(text) });
  });
});
