// What tests of the page do again and again.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical. */
export async function seriousIn(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** The page with these fields, as a link brings them. */
export function linkTo(url: string, fields: Record<string, unknown>): string {
  return `${url}/#run=${Buffer.from(JSON.stringify(fields)).toString('base64url')}`;
}

export async function connected(page: Page): Promise<void> {
  await page.getByText('connected', { exact: true }).waitFor();
}

export const verdict = (page: Page) => page.locator('.verdict');

/** Opens the program and runs it to its end. */
export async function runToEnd(page: Page): Promise<string> {
  await connected(page);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.verdict strong').waitFor({ timeout: 30_000 });
  return (await verdict(page).textContent())!;
}

/** A picture of the page in the folder `SBX_SHOTS`, for who wants to look; of what is above `end` alone. */
export async function shot(page: Page, name: string, end?: Locator): Promise<void> {
  const folder = process.env.SBX_SHOTS;
  if (!folder) return;
  const path = `${folder}/console-${name}.png`;
  const { width } = page.viewportSize()!;
  const box = await end?.boundingBox();
  const clip = box ? { x: 0, y: 0, width, height: box.y } : undefined;
  await page.screenshot({ path, fullPage: true, clip });
}
