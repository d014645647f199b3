// The console of a server whose programs run on a cluster: no worker, two, one that drains, hostile words.
import { describe, expect, test } from 'vitest';
import { hasChromium, useBrowser } from './browser.js';
import { useCluster } from './cluster.js';
import { connected, linkTo, runToEnd, seriousIn, shot, verdict } from './page.js';

const HOSTILE = '<img src=x onerror="document.title=1">\u202e';

describe.skipIf(!hasChromium)('workers', { timeout: 90_000 }, () => {
  const browser = useBrowser();
  const cluster = useCluster(['gojudge']);
  const startWorker = (labels: Record<string, string>) =>
    cluster.startWorker({ slots: 1, languages: ['python'], labels });

  test('that nobody works is said, and ends with the first worker; programs and terminals run there', async () => {
    await using opened = await browser.open(
      linkTo(cluster.url, { language: 'python', code: 'print("far")' }),
    );
    const { page, complaints } = opened;
    await connected(page);
    const notice = page.getByText('No worker of the cluster takes jobs');
    await notice.waitFor();
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Engine' }).click();
    await page.getByText('None has announced itself').waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await startWorker({ rack: HOSTILE });
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    const runButton = page.getByRole('button', { name: 'Run', exact: true });
    // Until the worker was asked for its languages.
    await expect.poll(() => runButton.isEnabled(), { timeout: 20_000 }).toBe(true);
    expect(await runToEnd(page)).toMatch(/exit code 0/);
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' });
    await page.keyboard.type('echo $((40+2))\n');
    await page.locator('.xterm-rows', { hasText: '42' }).waitFor();
    // With its figures the files would come.
    await page.locator('[role=status]', { hasText: /^CPU .* memory/ }).waitFor();
    expect(await page.locator('.files').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('CPU time and memory of a program on a worker come while it runs, into the plot', async () => {
    const code = `import time
held = []
end = time.monotonic() + 3
while time.monotonic() < end:
    if len(held) < 100: held.append(bytearray(1 << 20))
`;
    const fields = { language: 'python', code, cpuTimeMs: 8000, wallTimeMs: 20_000 };
    await using opened = await browser.open(linkTo(cluster.url, fields));
    const { page, complaints } = opened;
    await connected(page);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const words = () => page.locator('.plot [role=img]').getAttribute('aria-label');
    await expect.poll(words, { timeout: 20_000 }).toMatch(/ [1-9]\d\d+ ms of CPU time, 1\d\d\.\d MiB$/);
    expect(await verdict(page).textContent()).toBe('Running …');
    await page.locator('.verdict strong').waitFor({ timeout: 20_000 });
    expect(await verdict(page).textContent()).toMatch(/exit code 0CPU \d/);
    expect(complaints).toEqual([]);
  });

  test('two of them, live, one that drains; their words never become markup', async () => {
    await using opened = await browser.open(`${cluster.url}/#engine`);
    const { page, complaints } = opened;
    const rows = page.getByRole('region', { name: 'Workers of the cluster' }).locator('tbody tr');
    const other = await startWorker({ zone: 'b' });
    await expect.poll(() => rows.count()).toBe(2);
    const hostile = rows.filter({ hasText: 'rack=' });
    expect(await hostile.textContent()).toContain('rack=<img src=x onerror="document.title=1"><U+202E>');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    const busy = [1, 2, 3].map(() =>
      cluster.engine.run('/bin/sleep', ['8'], { limits: { wallTimeMs: 20_000 } }),
    );
    const drained = rows.filter({ hasText: 'zone=b' });
    await page.getByText(/2 of 2 places taken\. At the broker 2 jobs run, 1 wait, the oldest for/).waitFor();
    expect(await drained.textContent()).toMatch(/1\/1ready.*python/);
    other.child.kill('SIGTERM');
    await drained.filter({ hasText: 'draining' }).waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await shot(page, 'workers');
    await Promise.all(busy);
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(1);
    const [wide, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(wide).toBeLessThanOrEqual(screen);
    expect(complaints).toEqual([]);
  });
});
