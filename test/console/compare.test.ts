// The view Compare in a real Chromium: cases of a program, programs on one input, and their differences.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';
import { hasChromium, useBrowser } from './browser.js';
import { connected, linkTo, seriousIn, shot } from './page.js';

const open = useServer();
const browser = useBrowser();
const MINUTE = { timeout: 60_000 };

const rowsOf = (page: Page, table = 'Results') =>
  page.getByRole('table', { name: table }).locator('tbody tr').filter({ visible: true });

/** The view, with a program in Run. */
async function openCompare(fields: Record<string, unknown>) {
  const opened = await browser.open(linkTo(open.url, fields));
  await connected(opened.page);
  await opened.page.getByRole('link', { name: 'Compare' }).click();
  return opened;
}

async function openPrograms(codes: readonly string[]) {
  const opened = await openCompare({ language: 'python', code: codes[0] });
  const { page } = opened;
  await page.getByLabel('several programs on one input').check();
  for (const [at, code] of codes.entries()) {
    if (at === 0) continue;
    await page.getByRole('button', { name: 'Add the program of Run' }).click();
    await page.getByRole('textbox', { name: `Program ${at + 1}` }).fill(code);
  }
  return opened;
}

describe.skipIf(!hasChromium)('one program on many inputs', MINUTE, () => {
  test('right and wrong, with the first line that differs and all differences', async () => {
    const code = 'a, b = map(int, input().split())\nprint(a + b if a < 10 else 0)';
    await using opened = await openCompare({ language: 'python', code });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Run 2 cases' }).click();
    await page.getByText('1 of 2 right').waitFor();
    const rows = rowsOf(page);
    expect(await rows.nth(0).textContent()).toMatch(/^1Ended by itself with exit code 0/);
    expect(await rows.nth(1).textContent()).toMatch(/line 1: 0 42$/);
    await page.getByText('Differences of case 2').click();
    const lines = page.getByRole('region', { name: 'Differences of case 2' }).locator('div');
    expect(await lines.allTextContents()).toEqual(['- expected: 42', '+ printed: 0']);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('several programs on one input', MINUTE, () => {
  test('verdicts, CPU, wall time and memory side by side; what was typed stays', async () => {
    const slow = 'n = int(input())\nx = bytearray(50 << 20)\nfor _ in range(6000000): pass\nprint(n)';
    await using opened = await openPrograms(['print(int(input()))', slow, 'exit(3)']);
    const { page, complaints } = opened;
    await page.getByLabel('Input', { exact: true }).fill('7\n');
    await page.getByRole('link', { name: 'Engine' }).click();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Run 3 programs' }).click();
    await page.getByText('2 of 3 right').waitFor();
    expect(await rowsOf(page).nth(2).textContent()).toMatch(/^3Ended by itself with exit code 3/);
    const figures = async (table: string) =>
      (await rowsOf(page, table).allTextContents()).map((text) => Number(/ ([\d.]+)$/.exec(text)![1]));
    const cpu = await figures('CPU time of each program');
    const memory = await figures('Memory of each program');
    expect(cpu[1]).toBeGreaterThan(cpu[0]! + 20);
    expect(memory[1]).toBeGreaterThan(memory[0]! + 45);
    expect(await figures('Wall time of each program')).toHaveLength(3);
    expect(await rowsOf(page, 'Verdicts').allTextContents()).toEqual(['Accepted 2', 'Nonzero Exit Status 1']);
    await shot(page, 'compare-programs');
    expect(complaints).toEqual([]);
  });

  test('with an expected output all differences, hostile text as text; one that does not compile is told', async () => {
    const hostile = `print("one")\nprint('<img src=x onerror="document.title=1">\\u202e\\x1b[2J')\nprint("three")`;
    await using opened = await openPrograms([
      'print("one\\ntwo\\nthree")',
      hostile,
      'int main() { return x; }',
    ]);
    const { page, complaints } = opened;
    await page.getByRole('region', { name: 'Program 3' }).getByLabel('Language').selectOption('cpp');
    await page.getByLabel('Expected output').fill('one\ntwo\nthree\n');
    await page.getByRole('button', { name: 'Run 3 programs' }).click();
    await page.getByText('1 of 3 right').waitFor({ timeout: 30_000 });
    expect(await rowsOf(page).nth(2).textContent()).toMatch(/^3Did not compile: .*was not declared/s);
    await page.getByText('Differences of program 2').click();
    const legend = page.getByText('Lines with - were expected and not printed');
    expect(await legend.locator('visible=true').textContent()).toBe(
      'Lines with - were expected and not printed; lines with + were printed and not expected.',
    );
    const lines = page.getByRole('region', { name: 'Differences of program 2' }).locator('div');
    expect(await lines.allTextContents()).toEqual([
      '\u00a0 one',
      '- expected: two',
      '+ printed: <img src=x onerror="document.title=1"><U+202E>\u241b[2J',
      '\u00a0 three',
    ]);
    expect(await page.locator('main img').count()).toBe(0);
    await shot(page, 'compare-diff');
    expect(await seriousIn(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('megabytes of other lines are cut, and the page answers', async () => {
    const many = 'import sys\nsys.stdout.write("\\n".join(str(n) for n in range(100000)))';
    await using opened = await openPrograms([many]);
    const { page } = opened;
    await page.getByLabel('Expected output').fill('x\n'.repeat(30));
    await page.getByRole('button', { name: 'Run 1 program' }).click();
    await page.getByText('0 of 1 right').waitFor({ timeout: 30_000 });
    await page.getByText('Differences of program 1').click();
    const lines = page.getByRole('region', { name: 'Differences of program 1' }).locator('div');
    expect(await lines.count()).toBeLessThan(410);
    expect(await lines.last().textContent()).toMatch(/80000 lines not shown$/);
  });

  test('nothing of it is wider than a phone', async () => {
    await using opened = await openPrograms(['print("x" * 500)', 'print(1)']);
    const { page } = opened;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByLabel('Expected output').fill('1');
    await page.getByRole('button', { name: 'Run 2 programs' }).click();
    await page.getByText('1 of 2 right').waitFor();
    await page.getByText('Differences of program 1').click();
    const [wide, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    await shot(page, 'compare-phone');
    expect(wide).toBeLessThanOrEqual(screen);
  });
});
