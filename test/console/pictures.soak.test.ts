// The pictures of docs/images: each view with contents that somebody might have. `npm run docs:images` makes
// them again, all of them; without `SBX_SHOTS` the scenes are played and nothing is written.
import { FathomClient } from '@sbx/fathom-client';
import { GojudgeClient } from '@sbx/gojudge-client';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';
import { hasChromium, useBrowser } from './browser.js';
import { useCluster } from './cluster.js';
import { connected, linkTo, runToEnd, shot } from './page.js';

const open = useServer();
const browser = useBrowser();
const MINUTES = { timeout: 120_000 };
/** Until the plot of the last minutes has something to show. */
const PLOT_MS = 20_000;
const DESKTOP = { viewport: { width: 1200, height: 750 }, colorScheme: 'light' } as const;
const LOW = { ...DESKTOP, viewport: { width: 1200, height: 680 } };
const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

const SIEVE = `# Primes below 1, 2, … 12 million; each sieve stays in memory.
sieves = []
for millions in range(1, 13):
    count = millions * 1_000_000
    sieve = bytearray([1]) * count
    sieve[0:2] = b'\\0\\0'
    for n in range(2, int(count ** 0.5) + 1):
        if sieve[n]:
            sieve[n * n::n] = bytes(len(range(n * n, count, n)))
    sieves.append(sieve)
    print(f'{count:>10,} {sum(sieve):>7,}', flush=True)
`;
const RUN = { language: 'python', code: SIEVE, cpuTimeMs: 2000, wallTimeMs: 6000, memoryMib: 128 };

const EVERY_CHAIN = `# Every chain anew.
longest = 0, 0
for start in range(1, int(input()) + 1):
    n, length = start, 1
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        length += 1
    longest = max(longest, (length, start))
print(*longest)
`;
/** It ends before the last start. */
const KNOWN_LENGTHS = `# Lengths that are known are not counted again.
limit = int(input())
known = [0, 1] + [0] * limit
for start in range(1, limit):
    n, steps = start, 0
    while n > limit or known[n] == 0:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    known[start] = steps + known[n]
length = max(known)
print(length, known.index(length))
`;
const LAST_START = 17_647;
const LONGEST = `279 ${LAST_START}\n`;

/** Programs of several kinds, and each dozenth without an end. */
const MIXED = ['n=0; while [ $n -lt 20000 ]; do n=$((n+1)); done', 'echo done', 'sleep 0.2', 'exit 3'];
const ENDLESS = 'while :; do :; done';
const HERE = [...MIXED, ...MIXED, ...MIXED.slice(0, 3), ENDLESS];
/** Longer than the places of a small cluster can take at once. */
const FAR = ['sleep 1.2', 'sleep 0.9', 'n=0; while [ $n -lt 50000 ]; do n=$((n+1)); done'];

/** Shell programs one after another, from some clients of go-judge's interface and one of Fathom. */
function load(url: string, scripts: readonly string[], clientCount: number): AsyncDisposable {
  let hasEnded = false;
  const limits = { cpuTimeMs: 300, wallTimeMs: 5000, memoryBytes: 64 * 2 ** 20, processCount: 8 };
  const sendAll = async () => {
    await using client = new GojudgeClient({ url });
    for (let at = 0; !hasEnded; at += 1)
      await client.run({ args: ['/bin/sh', '-c', scripts[at % scripts.length]!], limits });
  };
  const executeAll = async () => {
    const client = new FathomClient({ url: `${url}/fathom` });
    for (let at = 0; !hasEnded; at += 1)
      await client.execute({
        language: 'shell',
        code: scripts[at % scripts.length]!,
        limits: { timeoutMs: 2000 },
      });
    await client.close();
  };
  const clients = [...Array.from({ length: clientCount }, sendAll), executeAll()];
  return {
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      await Promise.all(clients);
    },
  };
}

const guaranteesOf = (page: Page) => page.locator('section.card', { hasText: 'Guarantees' }).last();

/** Of the terminal; what is typed before the prompt is back is echoed beside it. */
async function lastLine(page: Page): Promise<string | undefined> {
  const lines = await page.locator('.xterm-rows > div').allTextContents();
  return lines.map((line) => line.trim()).findLast((line) => line !== '');
}

describe.skipIf(!hasChromium)('programs on this machine', MINUTES, () => {
  test.each([
    ['run', DESKTOP],
    ['run-mobile', PHONE],
  ])('%s', async (name, options) => {
    await using opened = await browser.open(linkTo(open.url, RUN), options);
    expect(await runToEnd(opened.page)).toMatch(/exit code 0/);
    await shot(opened.page, name);
    expect(opened.complaints).toEqual([]);
  });

  test('compare', async () => {
    const fields = {
      language: 'python',
      code: EVERY_CHAIN,
      stdin: String(LAST_START),
      cpuTimeMs: 5000,
      wallTimeMs: 9000,
    };
    await using opened = await browser.open(linkTo(open.url, fields), DESKTOP);
    const { page, complaints } = opened;
    await connected(page);
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByLabel('several programs on one input').check();
    await page.goto(linkTo(open.url, { ...fields, code: KNOWN_LENGTHS }));
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Add the program of Run' }).click();
    await page.getByLabel('Expected output').fill(LONGEST);
    await page.getByRole('button', { name: 'Run 2 programs' }).click();
    await page.getByText('1 of 2 right').waitFor({ timeout: 60_000 });
    await page.getByText('Differences of program 2').click();
    await shot(page, 'compare');
    expect(complaints).toEqual([]);
  });

  test('terminal', async () => {
    const files = [
      { name: 'words.txt', text: 'pear\napple\nplum\ncherry\napple\npear\napple\n' },
      { name: 'notes.md', text: '# To do\n\n- count the words\n' },
    ];
    const code = `from collections import Counter

for word, count in Counter(open('words.txt').read().split()).most_common():
    print(f'{count} {word}')
`;
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code, files }), LOW);
    const { page, complaints } = opened;
    await connected(page);
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Open a terminal' }).click();
    await page.locator('.xterm-rows').getByText('$').first().waitFor();
    const listed = (name: string) =>
      page.getByRole('region', { name: 'Files' }).getByRole('row').filter({ hasText: name });
    await listed('notes.md').waitFor();
    for (const line of [
      'id',
      'python3 main.py',
      'mkdir results && python3 main.py > results/counts.txt',
      'ls -l --color',
      'tty; stty size; nproc; ps ax | wc -l',
    ]) {
      await page.keyboard.type(`${line}\n`);
      await expect.poll(() => lastLine(page), { timeout: 10_000 }).toBe('~ $');
    }
    await listed('results').waitFor();
    await shot(page, 'terminal');
    expect(complaints).toEqual([]);
  });

  test('engine', async () => {
    await using opened = await browser.open(open.url, DESKTOP);
    const { page, complaints } = opened;
    await connected(page);
    await using _clients = load(open.url, HERE, 1);
    await page.getByRole('link', { name: 'Engine' }).click();
    await page.waitForTimeout(PLOT_MS);
    await shot(page, 'engine', guaranteesOf(page));
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('programs on a cluster', MINUTES, () => {
  const worker = (zone: string) => ({ slots: 2, languages: ['python', 'bash', 'cpp'], labels: { zone } });
  const cluster = useCluster(['gojudge', 'fathom'], { workers: [worker('a'), worker('b')] });

  test('cluster', async () => {
    await using opened = await browser.open(cluster.url, DESKTOP);
    const { page, complaints } = opened;
    await connected(page);
    await using _clients = load(cluster.url, FAR, 5);
    await page.getByRole('link', { name: 'Engine' }).click();
    await page.waitForTimeout(PLOT_MS);
    await page.getByText(/4 of 4 places taken\. At the broker \d jobs run, [1-9] wait/).waitFor();
    await shot(page, 'cluster', guaranteesOf(page));
    expect(complaints).toEqual([]);
  });
});
