// The console in a real Chromium: each view, hostile output, lost connections, small screens, accessibility.
import { createServer } from '@sbx/server';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';
import { hasChromium, useBrowser } from './browser.js';
import { connected, linkTo, runToEnd, seriousIn, shot, verdict } from './page.js';

const open = useServer();
const guarded = useServer({ token: 'secret' }, () => open.server);
const browser = useBrowser();

const MINUTE = { timeout: 60_000 };

const output = (page: Page) => page.getByRole('log', { name: 'Output' });

describe.skipIf(!hasChromium)('Run', MINUTE, () => {
  test('output comes while the program runs, then the verdict, the figures and their plot', async () => {
    const code =
      'import sys, time\nprint("early", flush=True)\nprint("loud", file=sys.stderr, flush=True)\ntime.sleep(1.5)\nprint("late")';
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code }));
    const { page, complaints } = opened;
    await connected(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.stdout', { hasText: 'early' }).waitFor();
    expect(await verdict(page).textContent()).toBe('Running …');
    await page.locator('.stderr', { hasText: 'loud' }).waitFor();
    await page.locator('.stdout', { hasText: 'late' }).waitFor();
    await page.locator('.verdict-good').waitFor();
    expect(await verdict(page).textContent()).toMatch(
      /^Ended by itself with exit code 0CPU .+ · wall 1\.\d\d s · memory .+ MiB$/,
    );
    const plot = await page.locator('.plot [role=img]').getAttribute('aria-label');
    expect(Number(/(\d+) samples/.exec(plot!)![1])).toBeGreaterThan(5);
    expect(complaints).toEqual([]);
  });

  test.each([
    [
      'CPU time',
      { code: 'while True: pass', cpuTimeMs: 300 },
      /^Killed after 3\d\d ms of CPU time: limit 300 ms/,
    ],
    [
      'wall time',
      { code: 'import time; time.sleep(9)', wallTimeMs: 400 },
      /^Killed after \d+ ms of wall time: limit 400 ms/,
    ],
    [
      'memory',
      { code: 'x = bytearray(300 << 20)', memoryMib: 64 },
      /^Killed for its memory at .+: limit 64 MiB/,
    ],
    [
      'output',
      { code: 'while True: print("x" * 1000)', outputKib: 64 },
      /^Killed for its output: limit 64 KiB/,
    ],
    ['an exit code', { code: 'exit(3)' }, /^Ended by itself with exit code 3/],
  ])('the verdict names the limit: %s', async (_, fields, expected) => {
    await using opened = await browser.open(linkTo(open.url, { language: 'python', ...fields }));
    expect(await runToEnd(opened.page)).toMatch(expected);
    expect(opened.complaints).toEqual([]);
  });

  test('what compiles: its errors, then its output, with arguments and files', async () => {
    const wrong = { language: 'cpp', code: 'int main() { return x; }' };
    await using broken = await browser.open(linkTo(open.url, wrong));
    expect(await runToEnd(broken.page)).toMatch(/^Did not compile/);
    expect(await output(broken.page).textContent()).toContain('was not declared');
    const code =
      '#include <cstdio>\n#include <fstream>\n#include <iostream>\nint main(int, char **v) { std::string s; std::ifstream("data.txt") >> s; std::cout << v[1] << s; }';
    const files = [{ name: 'data.txt', text: 'from a file' }];
    await using opened = await browser.open(
      linkTo(open.url, { language: 'cpp', code, args: 'an argument ', files }),
    );
    expect(await runToEnd(opened.page)).toMatch(/exit code 0/);
    expect(await output(opened.page).textContent()).toContain('an argument from');
  });

  test('Fathom runs it, too; stdin is given', async () => {
    const fields = { language: 'python', code: 'print(input()[::-1])', stdin: 'olleh\n', protocol: 'fathom' };
    await using opened = await browser.open(linkTo(open.url, fields));
    expect(await runToEnd(opened.page)).toMatch(/exit code 0/);
    expect(await output(opened.page).textContent()).toBe('hello\n');
    expect(await opened.page.getByLabel('CPU time (ms)').isDisabled()).toBe(true);
  });

  test.each(['gojudge', 'fathom'])('Stop ends it, through %s', async (protocol) => {
    const code = 'import time\nprint("go", flush=True)\ntime.sleep(30)';
    await using opened = await browser.open(
      linkTo(open.url, { language: 'python', code, protocol, wallTimeMs: 60_000 }),
    );
    const { page } = opened;
    await connected(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.stdout', { hasText: 'go' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped').waitFor();
  });

  test('the keyboard is enough: type, run', async () => {
    await using opened = await browser.open(open.url);
    const { page } = opened;
    await connected(page);
    await page.getByRole('textbox', { name: 'Program' }).focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('print("typed")');
    await page.keyboard.press('Control+Enter');
    await page.locator('.stdout', { hasText: 'typed' }).waitFor();
  });

  test('the request to copy carries the program, quoted', async () => {
    const code = `print("it's <b>")`;
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code }));
    const { page } = opened;
    await connected(page);
    await page.getByText('As a request, as a link').click();
    const shown = page.getByRole('region', { name: 'Request' });
    expect(await shown.textContent()).toContain(`it'\\''s <b>`);
    await page.locator('details select').selectOption('TypeScript');
    expect(await shown.textContent()).toContain('await runCode({');
  });

  test('a link that was tampered with brings defaults, nothing else', async () => {
    await using opened = await browser.open(
      linkTo(open.url, { language: 5, code: {}, cpuTimeMs: -1, files: [{ name: 1 }] }),
    );
    await connected(opened.page);
    expect(await opened.page.getByLabel('CPU time (ms)').inputValue()).toBe('1000');
    expect(opened.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('hostile output', MINUTE, () => {
  test('markup stays text', async () => {
    const code = `print('<img src=x onerror="document.title=1"><script>document.title=2</script><a href="javascript:1">x</a>')`;
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code }));
    const { page, complaints } = opened;
    await runToEnd(page);
    expect(await output(page).textContent()).toMatch(/^<img src=x onerror=/);
    expect(await output(page).locator('img, script, a').count()).toBe(0);
    expect(await page.title()).toBe('sbx console');
    expect(complaints).toEqual([]);
  });

  test('a bomb of colours and cursor moves leaves the page alive', async () => {
    const code =
      'for i in range(150000): print(f"\\x1b[{31 + i % 7}mx\\x1b[2J\\x1b[1000000C\\x1b]0;title\\x07", end="")';
    await using opened = await browser.open(
      linkTo(open.url, {
        language: 'python',
        code,
        outputKib: 65_536,
        cpuTimeMs: 10_000,
        wallTimeMs: 30_000,
      }),
    );
    await runToEnd(opened.page);
    expect(await output(opened.page).locator('span').count()).toBeLessThanOrEqual(3000);
    expect(await output(opened.page).textContent()).toMatch(/x{1000}$/);
    expect(await opened.page.title()).toBe('sbx console');
    const startedAt = performance.now();
    await opened.page.getByRole('link', { name: 'Engine' }).click();
    await opened.page.getByText('Guarantees').waitFor();
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  test('of 50 MB the end is shown, and how much there was', async () => {
    const code =
      'import sys\nfor i in range(50): sys.stdout.write("y" * 1_000_000)\nsys.stdout.write("the end")';
    const fields = { language: 'python', code, outputKib: 65_536, cpuTimeMs: 20_000, wallTimeMs: 50_000 };
    await using opened = await browser.open(linkTo(open.url, fields));
    expect(await runToEnd(opened.page)).toMatch(/exit code 0/);
    const text = (await output(opened.page).textContent())!;
    expect(text).toMatch(/y{1000}the end$/);
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(await opened.page.getByText('characters before these are not shown').textContent()).toMatch(
      /^49,900,007 /,
    );
  });

  test('characters that turn text around are shown as what they are', async () => {
    const code = 'print("ok\\u202etxt.exe\\u2066x\\u200b")';
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code }));
    await runToEnd(opened.page);
    expect(await output(opened.page).textContent()).toBe('ok<U+202E>txt.exe<U+2066>x<U+200B>\n');
  });
});

/** Connections to programs open a second late. */
const SLOW_STREAM = `{
  const listen = WebSocket.prototype.addEventListener;
  WebSocket.prototype.addEventListener = function (type, listener) {
    const isLate = type === 'open' && this.url.endsWith('/stream');
    listen.call(this, type, isLate ? (event) => setTimeout(() => listener(event), 1000) : listener);
  };
}`;

/** The last answer of `stty size`. */
async function sizeIn(rows: Locator): Promise<string> {
  const text = (await rows.locator('div').allTextContents()).join('\n');
  return [...text.matchAll(/^(\d+ \d+)\s*$/gm)].at(-1)?.[1] ?? '';
}

describe.skipIf(!hasChromium)('the other views', MINUTE, () => {
  test('Terminal: a shell that knows its size, has the program, and ends', async () => {
    await using opened = await browser.open(linkTo(open.url, { language: 'python', code: 'print(6 * 7)' }));
    const { page, complaints } = opened;
    await connected(page);
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Open a terminal' }).click();
    const rows = page.locator('.xterm-rows');
    await rows.getByText('$').first().waitFor();
    await page.keyboard.type('python3 main.py; tty; stty size\n');
    await rows.getByText('42', { exact: true }).waitFor();
    await rows.getByText('/dev/pts/').waitFor();
    const before = await sizeIn(rows);
    await page.setViewportSize({ width: 700, height: 900 });
    await page.keyboard.type('clear; stty size\n');
    await expect.poll(() => sizeIn(rows)).not.toBe(before);
    await page
      .getByRole('status')
      .filter({ hasText: /CPU .+ memory .+iB/ })
      .waitFor();
    await page.keyboard.type(
      'printf "\\033[38;2;9;99;199mcolour\\033]8;;http://evil/\\033\\\\link\\033]8;;\\033\\\\\\n<b>x</b>"\n',
    );
    await rows.getByText('<b>x</b>').last().waitFor();
    expect(await rows.locator('b').count()).toBe(0);
    await shot(page, 'terminal-open');
    expect(await seriousIn(page)).toEqual([]);
    await page.keyboard.type('exit\n');
    await page.getByText('Ended: Accepted').waitFor();
    expect(complaints).toEqual([]);
  });

  test('Terminal: what is typed before the shell is there waits for it', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    await page.addInitScript(SLOW_STREAM);
    await page.reload();
    await connected(page);
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Open a terminal' }).click();
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' });
    await page.keyboard.type('echo $((40+2))\n');
    await page.locator('.xterm-rows').getByText('42', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('Engine: what runs, verdicts, guarantees with their fix', async () => {
    await using opened = await browser.open(
      linkTo(open.url, { language: 'python', code: 'exit(7)', protocol: 'fathom' }),
    );
    const { page, complaints } = opened;
    await runToEnd(page);
    await page.getByRole('link', { name: 'Engine' }).click();
    const verdicts = page.getByRole('table', { name: 'Verdicts of Fathom' });
    await verdicts.getByRole('rowheader', { name: 'failed' }).waitFor();
    await page.getByRole('table', { name: 'Latency of Fathom' }).waitFor();
    expect(await page.locator('.guarantees li').count()).toBeGreaterThan(10);
    expect(await page.locator('.guarantees li', { hasText: 'seccomp' }).textContent()).toMatch(/^ok seccomp/);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('connection', MINUTE, () => {
  test('a server that comes back is found again', async () => {
    const engine = open.server.engine;
    const options = { engine, fathom: { standby: {} } };
    const first = await createServer({ ...options, port: 0 });
    const [url] = (await first.listen()).urls as [string];
    await using opened = await browser.open(url);
    const { page } = opened;
    await connected(page);
    await first.close();
    await page.getByText('connection lost').waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await using second = await createServer({ ...options, port: Number(new URL(url).port) });
    await second.listen();
    await connected(page);
    expect(await runToEnd(page)).toMatch(/exit code 0/);
  });

  test('the token is asked for once, kept in memory alone, and brought to every protocol', async () => {
    await using opened = await browser.open(guarded.url);
    const { page } = opened;
    const field = page.getByLabel('Token');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('needs a token').waitFor();
    await field.fill('secret');
    await page.getByRole('button', { name: 'Connect' }).click();
    expect(await runToEnd(page)).toMatch(/exit code 0/);
    await page.getByLabel('through').selectOption('fathom');
    expect(await runToEnd(page)).toMatch(/exit code 0/);
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(kept).not.toContain('secret');
    await page.reload();
    await field.waitFor();
  });
});

describe.skipIf(!hasChromium).each([
  ['light', { width: 1280, height: 900 }],
  ['dark', { width: 360, height: 740 }],
] as const)('%s, %o', MINUTE, (colorScheme, viewport) => {
  test.each(['Run', 'Compare', 'Terminal', 'Engine'])(
    '%s fits the screen, and axe finds nothing serious',
    async (view) => {
      await using opened = await browser.open(open.url, { colorScheme, viewport });
      const { page } = opened;
      await runToEnd(page);
      await page.getByRole('link', { name: view }).click();
      if (view === 'Engine') await page.getByText('Guarantees').waitFor();
      const widths = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, innerWidth]',
      );
      expect(widths[0]).toBeLessThanOrEqual(widths[1]);
      expect(await seriousIn(page)).toEqual([]);
      await shot(page, `${view.toLowerCase()}-${colorScheme}`);
    },
  );
});
