// Debian's Chromium, driven by playwright-core; one for the tests of a file. It runs outside of any sandbox
// of ours, on our own pages alone.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);

export interface TestBrowser {
  /** A page of its own context; whatever it complains about is in `complaints`. */
  open(url: string, options?: BrowserContextOptions): Promise<TestPage>;
}

export interface TestPage extends AsyncDisposable {
  page: Page;
  /** Errors, and what the Content-Security-Policy has refused. */
  complaints: string[];
}

export function useBrowser(): TestBrowser {
  let browser: Browser;
  beforeAll(async () => {
    if (!hasChromium) return;
    // As root its own sandbox does not start; /dev/shm is small in containers.
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  }, 60_000);
  afterAll(() => browser?.close());
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(url);
      return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
    },
  };
}
