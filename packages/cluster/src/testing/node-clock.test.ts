import { expect, test } from 'vitest';
import { NodeClock } from './node-clock.js';
import { SimClock } from './sim-clock.js';

test('a machine that sleeps is as much later, and no other is', async () => {
  const world = new SimClock();
  const sleeper = new NodeClock(world, 600_000);
  const other = new NodeClock(world, -600_000);
  const fired: [string, number][] = [];
  sleeper.after(1000, () => fired.push(['sleeper', world.now()]));
  other.after(1000, () => fired.push(['other', world.now()]));
  const stop = sleeper.after(1500, () => fired.push(['stopped', world.now()]));
  world.after(400, () => sleeper.sleep(5000));
  world.after(500, () => {
    expect(sleeper.now()).toBe(600_400);
    sleeper.after(10, () => fired.push(['asked while asleep', world.now()]));
  });
  world.after(5600, stop);
  await world.run(20_000);
  expect(fired).toEqual([
    ['other', 1000],
    ['asked while asleep', 5410],
    ['sleeper', 6000],
  ]);
  expect(sleeper.now() - 600_000).toBe(world.now() - 5000);
});
