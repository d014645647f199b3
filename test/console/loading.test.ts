// How soon the page is there.
import { describe, expect, test } from 'vitest';
import { useServer } from '../server/server.js';
import { hasChromium, useBrowser } from './browser.js';

const open = useServer();
const browser = useBrowser();

const LOADS = 9;
const FIRST_PAINT_MS_MAX = 300;
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list, observer) => {
    const [paint] = list.getEntriesByName('first-contentful-paint');
    if (paint === undefined) return;
    observer.disconnect();
    resolve(paint.startTime);
  }).observe({ type: 'paint', buffered: true });
})`;

describe.skipIf(!hasChromium)('loading', { timeout: 60_000 }, () => {
  test('something is seen within 300 ms on loopback, as the median of loads with an empty cache', async () => {
    const times: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      await using opened = await browser.open(open.url);
      times.push(await opened.page.evaluate<number>(FIRST_PAINT));
    }
    times.sort((a, b) => a - b);
    expect(times[(LOADS - 1) / 2]).toBeLessThanOrEqual(FIRST_PAINT_MS_MAX);
  });
});
