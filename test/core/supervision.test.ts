/** Limits are enforced in time whatever the host does, and whatever the programs do to the scheduler. */
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { between, OVERSHOOT_MS } from '../helpers/bounds.js';
import { t, useEngine } from '../helpers/engine.js';
import { timed } from '../helpers/wait.js';

const sbx = useEngine();

describe('nobody but the supervisor is needed', () => {
  function blockLoop(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end; );
  }

  it.each([
    ['wall', { wallTimeMs: 200 }, 'sleep-ms', 'wall-limit'],
    ['CPU', { cpuTimeMs: 200 }, 'burn-cpu', 'cpu-limit'],
  ] as const)('%s limit holds while the loop is blocked for a second', async (_, limits, program, status) => {
    await using sandbox = await sbx.engine.createSandbox();
    await using running = await sandbox.spawn(t(program), ['10000'], { limits });
    blockLoop(1000);
    const result = await running.result;
    expect(result.status).toBe(status);
    const used = status === 'wall-limit' ? result.usage.wallTimeMs : result.usage.cpuTimeMs;
    between(used, 200, 200 + OVERSHOOT_MS);
  });

  it('is heard among dozens of threads that spin', async () => {
    // What the kernel books at ticks of up to 4 ms (250 Hz), on each CPU.
    const booked = 4 * availableParallelism();
    for (let run = 0; run < 8; run++) {
      const result = await sbx.engine.run(t('thread-bomb'), [], { limits: { cpuTimeMs: 400 } });
      expect(result.status).toBe('cpu-limit');
      between(result.usage.cpuTimeMs, 400, 400 + OVERSHOOT_MS + booked);
    }
  });

  it('output over the limit ends the run soon after the loop is free again', async () => {
    const { value, ms } = await timed(() =>
      sbx.engine.run(t('flood'), ['1', '0'], { limits: { outputBytes: 4096, cpuTimeMs: 5000 } }),
    );
    expect(value.status).toBe('output-limit');
    expect(ms).toBeLessThan(200);
  });
});
