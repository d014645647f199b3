/** Limits are enforced in time whatever the host does, and whatever the programs do to the scheduler. */
import { describe, expect, it } from 'vitest';
import { expectEndedAt } from '../helpers/bounds.js';
import { t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { timed } from '../helpers/wait.js';

const sbx = useEngine();

/** As docs/limits.md tells of threads beside others' load (docs/decisions/0012-slices.md). */
const THREADS_OVERSHOOT_MAX_MS = paced(140);

describe('nobody but the supervisor is needed', () => {
  function blockLoop(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end; );
  }

  it.each([
    ['wallTimeMs', 'sleep-ms', 'wall-limit'],
    ['cpuTimeMs', 'burn-cpu', 'cpu-limit'],
  ] as const)('%s holds while the loop is blocked for a second', async (figure, program, status) => {
    await using sandbox = await sbx.engine.createSandbox();
    await expectEndedAt(200, figure, async () => {
      await using running = await sandbox.spawn(t(program), ['10000'], { limits: { [figure]: 200 } });
      blockLoop(1000);
      const result = await running.result;
      expect(result.status).toBe(status);
      return result.usage[figure];
    });
  });

  it('is heard among dozens of threads that spin', async () => {
    for (let round = 0; round < 3; round++) {
      const usedMs = async () => {
        const result = await sbx.engine.run(t('thread-bomb'), [], { limits: { cpuTimeMs: 400 } });
        expect(result.status).toBe('cpu-limit');
        return result.usage.cpuTimeMs;
      };
      await expectEndedAt(400, 'cpuTimeMs', usedMs, THREADS_OVERSHOOT_MAX_MS);
    }
  });

  it('output over the limit ends the run soon after the loop is free again', async () => {
    const { value, ms, stolenMs } = await timed(() =>
      sbx.engine.run(t('flood'), ['1', '0'], { limits: { outputBytes: 4096, cpuTimeMs: 5000 } }),
    );
    expect(value.status).toBe('output-limit');
    expect(ms - stolenMs).toBeLessThan(200);
  });
});
