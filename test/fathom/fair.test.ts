// Places are fair between connections: none keeps another out, by many executions or by not reading.
import { expect, test } from 'vitest';
import { paced } from '../helpers/pace.js';
import { until } from '../helpers/wait.js';
import { Talk, useServer } from './server.js';

const MB = 2 ** 20;
const PLACES = 4;
const served = useServer({ parallelism: PLACES, queueLength: 64, stallMs: 60_000 });
const single = useServer({ parallelism: 1, queueLength: 64 }, () => served.server.engine);

/** How long one short program takes from its request to its end, on a connection of its own. */
async function timeOfOther(url: string): Promise<number> {
  const other = await Talk.open(url);
  const since = performance.now();
  expect((await other.run({ code: 'echo here' })).stdout).toBe('here\n');
  await other.close();
  return performance.now() - since;
}

test('one connection with more than all places and the queue: another runs at once', async () => {
  const greedy = await Talk.open(served.url);
  const ids = Array.from({ length: PLACES + 64 + 1 }, () => greedy.start({ code: 'sleep 60' }));
  const refused = await greedy.until(({ type }) => type === 'error');
  expect(refused).toMatchObject({ code: 'SANDBOX_OVERLOADED', retryable: true });
  await greedy.running(ids[0]!);
  expect(await timeOfOther(served.url)).toBeLessThan(paced(1000));
  await greedy.close();
  await until(paced(5000), 'its places are free', () => served.server.load().active === 0);
});

test('of those that wait each connection has its turn', async () => {
  const [first, second] = [await Talk.open(single.url), await Talk.open(single.url)];
  const many = Array.from({ length: 8 }, () => first.start({ code: 'sleep 0.05' }));
  await first.running(many[0]!);
  const one = second.start({ code: '' });
  await second.fate(one);
  const over = many.filter((id) => first.of(id).some(({ type }) => type === 'result')).length;
  expect(over).toBeLessThanOrEqual(3);
  await Promise.all(many.map((id) => first.fate(id)));
  await first.close();
  await second.close();
});

test('sixteen executions whose clients do not read: another runs all the same', async () => {
  const limits = { max_output_bytes: 64 * MB, timeout_ms: 60_000 };
  const deaf = [await Talk.open(served.url), await Talk.open(served.url)];
  for (const talk of deaf) {
    const ids = Array.from({ length: 8 }, () => talk.start({ code: 'yes', limits }));
    await talk.running(ids[0]!);
    talk.socket.pause();
  }
  expect(await timeOfOther(served.url)).toBeLessThan(paced(3000));
  // Beyond places and the spare one are only those that are parked.
  await until(paced(5000), 'some are parked', () => served.server.load().active > PLACES + 1);
  expect(await timeOfOther(served.url)).toBeLessThan(paced(3000));
  for (const talk of deaf) talk.socket.terminate();
});

test('one that was parked is delivered whole when its client reads again', async () => {
  const limits = { max_output_bytes: 64 * MB, timeout_ms: 60_000 };
  const slow = await Talk.open(single.url);
  const id = slow.start({ code: 'seq 1 2000000', limits });
  await slow.running(id);
  slow.socket.pause();
  expect(await timeOfOther(single.url)).toBeLessThan(paced(3000));
  slow.socket.resume();
  const wanted = Array.from({ length: 2_000_000 }, (_, at) => `${at + 1}\n`).join('');
  expect((await slow.fate(id)).stdout === wanted).toBe(true);
  await slow.close();
});
