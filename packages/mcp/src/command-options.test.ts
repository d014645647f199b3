import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CommandLineError, FLAG_ROWS, readCommandLine, usage } from './command-options.js';

test('flags become options', () => {
  const words =
    '--http --port 0 --host ::1 --token t --allow-origin https://a.b --allow-origin https://c.d --memory 1GiB --total-memory 4GiB ' +
    '--sandboxes 3 --per-session 2 --sessions 5 --idle 1.5m --network loopback --allow-degraded --verbose';
  expect(readCommandLine(words.split(' '))).toEqual({
    http: true,
    verbose: true,
    json: false,
    help: false,
    options: {
      port: 0,
      host: '::1',
      token: 't',
      allowedOrigins: ['https://a.b', 'https://c.d'],
      limits: { memoryBytes: 2 ** 30 },
      memoryBytesMax: 2 ** 32,
      sandboxCountMax: 3,
      sandboxCountPerSession: 2,
      sessionCountMax: 5,
      idleMs: 90_000,
      network: 'loopback',
      require: [],
    },
  });
});

test.each([
  [['--memory', '512'], /--memory: "512" is not a size; write 64KiB/],
  [['--memory', '1TB'], /is not a size/],
  [['--idle', '5'], /is not a time/],
  [['--idle', '1s', '--idle', '2s'], /--idle is given twice/],
  [['--http', '--token', 'a', '--token-file', 'b'], /exclude each other/],
  [['--json'], /--json needs --http/],
  [['file'], /file/],
])('%j is refused', (args, sentence) => {
  expect(() => readCommandLine(args)).toThrow(CommandLineError);
  expect(() => readCommandLine(args)).toThrow(sentence);
});

test('every flag is in the help and on the page', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## sbx serve mcp'), page.indexOf('## sbx bench'));
  const flags = [...Object.keys(FLAG_ROWS), 'http', 'verbose', 'json'].map((name) => `--${name}`);
  expect(flags.filter((flag) => !usage('sbx-mcp').includes(`  ${flag}`))).toEqual([]);
  expect(flags.filter((flag) => !section.includes(`\`${flag}`))).toEqual([]);
});
