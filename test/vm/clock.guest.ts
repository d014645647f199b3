// The wall clock jumps while programs run; only in a guest, whose clock is nobody else's.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { sleep } from '../helpers/wait.js';

const sbx = useEngine();
const jump = (seconds: number) =>
  execFileSync('date', ['-s', `@${Math.round(Date.now() / 1000) + seconds}`], { stdio: 'ignore' });

it.each([3600, -7200])('by %d seconds: limits and figures do not notice', async (seconds) => {
  const before = Date.now();
  const limits = { wallTimeMs: paced(200), cpuTimeMs: null };
  const over = sbx.engine.run(t('sleep-ms'), ['60000'], { limits });
  const within = sbx.engine.run(t('sleep-ms'), [`${paced(100)}`], { limits });
  await sleep(20);
  jump(seconds);
  expect(Math.abs(Date.now() - before)).toBeGreaterThan(1_000_000);
  expect(await within).toMatchObject({ status: 'ok' });
  const result = await over;
  expect(result.status).toBe('wall-limit');
  expect(result.usage.wallTimeMs).toBeGreaterThanOrEqual(paced(200));
  expect(result.usage.wallTimeMs).toBeLessThan(paced(400));
});
