// The figures, held against the program's own clock and what it is known to hold.
import { expect, test } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { obeying } from '../helpers/fifo.js';

const suite = useEngine();

test('two sections add up to the whole within 1 %', async () => {
  await obeying(suite.engine, async ({ client, tell }) => {
    const whole = await client.measure(async () => [
      await client.measure(() => tell('burn 150')),
      await client.measure(() => tell('burn 100')),
    ]);
    const [first, second] = whole.value.map(({ cpuTimeUs }) => cpuTimeUs);
    expect(Math.abs(first! + second! - whole.cpuTimeUs) / whole.cpuTimeUs).toBeLessThan(0.01);
    expect(first! / 150_000).toBeGreaterThan(0.97);
    expect(first! / 150_000).toBeLessThan(1.05);
  });
});

test('a millisecond of work shows', async () => {
  await obeying(suite.engine, async ({ client, tell }) => {
    await tell('burn 1');
    const times: number[] = [];
    for (let i = 0; i < 21; i += 1) times.push((await client.measure(() => tell('burn 1'))).cpuTimeUs);
    expect(Math.min(...times)).toBeGreaterThan(900);
    expect(Math.min(...times)).toBeLessThan(2000); // what a busy machine adds is in the others
    expect(Math.max(...times)).toBeLessThan(10_000);
  });
});

test('a program that waits uses next to nothing, however often it is asked', async () => {
  await obeying(suite.engine, async ({ client, tell }) => {
    await tell('drop'); // its own start is over when it answers
    const { cpuTimeUs } = await client.measure(async () => {
      for (let i = 0; i < 100; i += 1) await client.wait();
    });
    expect(cpuTimeUs).toBeLessThan(1000);
  });
});

test('a hundred megabytes up and down', async () => {
  await obeying(suite.engine, async ({ client, tell }) => {
    await tell('hold 100000000');
    const filled = await client.checkpoint('filled', { maxMemoryBytes: 50e6 });
    await tell('drop');
    const emptied = await client.checkpoint('emptied', { maxMemoryBytes: 50e6 });
    expect(filled.memoryBytes).toBeGreaterThanOrEqual(100e6);
    expect(filled.memoryBytes).toBeLessThan(110e6);
    expect(emptied.memoryBytes).toBeLessThan(5e6);
    expect(client.checkpoints.map(({ name, ok }) => [name, ok])).toEqual([
      ['filled', false],
      ['emptied', true],
    ]);
    expect((await client.terminate()).memoryBytes).toBe(0);
  });
});

test('children count', async () => {
  await obeying(suite.engine, async ({ client, tell }) => {
    const before = await client.wait();
    for (let i = 0; i < 10; i += 1) await tell('fork');
    expect((await client.wait()).memoryBytes).toBeGreaterThan(before.memoryBytes);
  });
});
