// The files of a terminal's work folder, in a real Chromium.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';
import { hasChromium, type TestPage, useBrowser } from './browser.js';
import { connected, seriousIn, shot } from './page.js';

const open = useServer();
const guarded = useServer({ token: 'secret' }, () => open.server);
const browser = useBrowser();

const MINUTE = { timeout: 60_000 };

const panel = (page: Page) => page.getByRole('region', { name: 'Files' });
const row = (page: Page, name: string) => panel(page).getByRole('row').filter({ hasText: name });
const told = (page: Page) => panel(page).getByRole('status');

/** A terminal with its panel; `setUp` is typed into its shell. */
async function terminal({ page }: TestPage, setUp = ''): Promise<void> {
  await connected(page);
  await page.getByRole('link', { name: 'Terminal' }).click();
  await page.getByRole('button', { name: 'Open a terminal' }).click();
  await page.locator('.xterm-rows').getByText('$').first().waitFor();
  await row(page, 'main.py').waitFor();
  if (setUp === '') return;
  await page.keyboard.type(`${setUp}; touch is-done\n`);
  await row(page, 'is-done').waitFor();
}

async function upload(page: Page, files: { name: string; text: string }[]): Promise<void> {
  await panel(page)
    .locator('input[type=file]')
    .setInputFiles(files.map(({ name, text }) => ({ name, mimeType: '', buffer: Buffer.from(text) })));
}

async function download(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel(page)
      .getByRole('button', { name: `Download ${name}` })
      .click(),
  ]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

describe.skipIf(!hasChromium)('files', MINUTE, () => {
  test('are uploaded, seen by the shell, edited, downloaded and deleted', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    await terminal(opened);
    await upload(page, [
      { name: 'one.txt', text: 'first\r\nsecond\r\n' },
      { name: 'two.txt', text: 'x'.repeat(2048) },
    ]);
    await told(page).getByText('2 of 2 uploaded').waitFor();
    expect(await row(page, 'two.txt').textContent()).toContain('2.0 KiB');
    await panel(page).getByRole('button', { name: 'Edit one.txt' }).click();
    const editor = panel(page).getByRole('textbox', { name: 'Content of one.txt' });
    await editor.waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('third');
    await page.keyboard.press('Control+Enter');
    await told(page).getByText('Save one.txt: done').waitFor();
    await shot(page, 'files-edit');
    await panel(page).getByRole('button', { name: 'Close' }).click();
    const got = await download(page, 'one.txt');
    expect([got.name, got.bytes.toString()]).toEqual(['one.txt', 'first\r\nsecond\r\nthird']);
    await shot(page, 'files');
    await panel(page).getByRole('button', { name: 'Delete two.txt' }).click();
    await panel(page).getByRole('button', { name: 'Really delete two.txt' }).click();
    await row(page, 'two.txt').waitFor({ state: 'detached' });
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('wc -c one.txt two.txt\n');
    await page.locator('.xterm-rows').getByText('20 one.txt').waitFor();
    expect(complaints).toEqual([]);
  });

  test('files that are dropped go into the folder that is shown, by keyboard as well', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    await terminal(opened);
    await panel(page).getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('sub');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // New folder
    await panel(page).getByRole('button', { name: 'Open sub' }).press('Enter');
    await panel(page).getByRole('heading', { name: 'Files in sub' }).waitFor();
    await panel(page).getByLabel('Name', { exact: true }).fill('a.txt');
    await panel(page).getByRole('button', { name: 'New file' }).click();
    await told(page).getByText('New file a.txt: done').waitFor();
    const dropped = await page.evaluateHandle(
      'const data = new DataTransfer(); data.items.add(new File(["a"], "a.txt")); data.items.add(new File(["b"], "b.txt")); data',
    );
    await panel(page).dispatchEvent('drop', { dataTransfer: dropped });
    await told(page).getByText('2 of 2 uploaded').waitFor();
    await row(page, 'b.txt').waitFor();
    await panel(page).getByLabel('Name', { exact: true }).fill('b.txt');
    await panel(page).getByRole('button', { name: 'New file' }).click();
    await told(page).getByText('New file b.txt: Something has this name already').waitFor();
    expect((await download(page, 'b.txt')).bytes.toString()).toBe('b');
    await panel(page).getByRole('button', { name: 'Up', exact: true }).press('Enter');
    await row(page, 'main.py').waitFor();
    expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);
  });

  test('what the shell has changed meanwhile is not overwritten unasked', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    await terminal(opened, 'echo first > note.txt');
    const button = (name: string | RegExp) => panel(page).getByRole('button', { name });
    const editor = panel(page).getByRole('textbox', { name: 'Content of note.txt' });
    const change = async (text: string) => {
      await page.locator('.xterm-helper-textarea').focus();
      await page.keyboard.type(`echo ${text} > note.txt; clear; echo done-${text}\n`);
      await page.locator('.xterm-rows').getByText(`done-${text}`, { exact: true }).waitFor();
    };
    const type = async (text: string) => {
      await editor.focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.type(text);
      await page.keyboard.press('Control+Enter');
    };
    await button('Edit note.txt').click();
    await editor.getByText('first').waitFor();
    await type('a ');
    await told(page).getByText('Save note.txt: done').waitFor();
    await change('second');
    await type('b ');
    const notice = panel(page).getByRole('alert').filter({ hasText: 'note.txt has changed since' });
    await notice.waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await button(/^Reload it/).click();
    await editor.getByText('second').waitFor();
    await notice.waitFor({ state: 'detached' });
    await change('third');
    await type('c ');
    await button('Overwrite it').click();
    await notice.waitFor({ state: 'detached' });
    await button('Close').click();
    expect((await download(page, 'note.txt')).bytes.toString()).toBe('c second\n');
    expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);
  });

  test('go with the terminal, and come with the token', async () => {
    await using opened = await browser.open(guarded.url);
    const { page } = opened;
    await page.getByLabel('Token').fill('secret');
    await page.getByRole('button', { name: 'Connect' }).click();
    await terminal(opened);
    await page.getByRole('button', { name: 'End' }).click();
    await panel(page).waitFor({ state: 'detached' });
  });
});

describe.skipIf(!hasChromium)('hostile files', MINUTE, () => {
  test('names are text of one line, and never markup', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    const names = ['<img src=x onerror=alert(1)>', 'a\\nb\\033[31mc', 'photo\\342\\200\\256gpj.exe'];
    await terminal(opened, names.map((name) => `touch "$(printf '${name}')"`).join('; '));
    for (const shown of ['<img src=x onerror=alert(1)>', 'a\u240ab\u241b[31mc', 'photo<U+202E>gpj.exe'])
      await panel(page).getByRole('rowheader', { name: shown, exact: true }).waitFor();
    expect(await panel(page).locator('img').count()).toBe(0);
    expect((await download(page, 'photo<U+202E>gpj.exe')).name).toBe('photo_U+202E_gpj.exe');
    expect(complaints).toEqual([]);
  });

  test('contents: markup is edited as text, bytes and what is large are for downloads', async () => {
    await using opened = await browser.open(open.url);
    const { page, complaints } = opened;
    const setUp =
      "printf '<b>x</b>\\342\\200\\256' > m.html; printf '\\377\\0' > bytes; truncate -s 50M large; truncate -s 65M huge";
    await terminal(opened, setUp);
    const edit = (name: string) =>
      panel(page)
        .getByRole('button', { name: `Edit ${name}` })
        .click();
    await edit('bytes');
    await told(page).getByText('It is no text in UTF-8: download it').waitFor();
    await edit('large');
    await told(page).getByText('It has 50.0 MiB; the editor takes 1.0 MiB at most: download it').waitFor();
    await edit('huge');
    await told(page).getByText('size: must be at most 64 MiB; got 65 MiB or more').waitFor();
    expect((await download(page, 'large')).bytes.length).toBe(50 * 2 ** 20);
    await edit('m.html');
    const editor = panel(page).getByRole('textbox', { name: 'Content of m.html' });
    await editor.getByText('<b>x</b>').waitFor();
    expect(await editor.locator('b').count()).toBe(0);
    expect(await editor.locator('.cm-specialChar').count()).toBe(1);
    expect(complaints.filter((text) => !text.includes('413'))).toEqual([]);
  });

  test('links that lead outside and pipes: refused in words', async () => {
    await using opened = await browser.open(open.url);
    const { page } = opened;
    await terminal(opened, 'ln -s /etc/passwd link; mkfifo pipe');
    expect(await row(page, 'pipe').getByRole('button').allTextContents()).toEqual(['Delete']);
    await panel(page).getByRole('button', { name: 'Edit link' }).click();
    await told(page).getByText('Open link: stat "link"').waitFor();
    expect(await panel(page).textContent()).not.toContain('root:');
    await panel(page).getByRole('button', { name: 'Delete pipe' }).press('Enter');
    await panel(page).getByRole('button', { name: 'Really delete pipe' }).press('Enter');
    await row(page, 'pipe').waitFor({ state: 'detached' });
  });
});

describe.skipIf(!hasChromium).each([
  ['light', { width: 1280, height: 900 }],
  ['dark', { width: 360, height: 740 }],
] as const)('%s, %o', MINUTE, (colorScheme, viewport) => {
  test('the panel fits the screen, and axe finds nothing serious', async () => {
    await using opened = await browser.open(open.url, { colorScheme, viewport });
    const { page } = opened;
    await terminal(opened, `touch ${'n'.repeat(200)}; mkdir sub; ln -s x link`);
    await upload(page, [{ name: 'notes.txt', text: 'some text' }]);
    await row(page, 'notes.txt').waitFor();
    const widths = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(widths[0]).toBeLessThanOrEqual(widths[1]);
    expect(await seriousIn(page)).toEqual([]);
    await shot(page, `files-${colorScheme}`);
    await panel(page).getByRole('button', { name: 'Edit notes.txt' }).click();
    await panel(page).getByRole('textbox', { name: 'Content of notes.txt' }).waitFor();
    expect(await seriousIn(page)).toEqual([]);
  });
});
