/**
 * What each adapter adds to a command: its run call, next to `sandbox.run` of the same shell with the same
 * line in the same sandbox. The two take turns, and which one is first changes each time.
 */
import { Engine } from '@sbx/core';
import { ADAPTER_CALLS } from './lib/adapter-calls.mjs';
import { figure } from './lib/figures.mjs';
import { timed } from './lib/wait.mjs';

export const title = 'the run call of each adapter, over sandbox.run of the same command';

const PAIRS = 1000;
const WARM_UP_PAIRS = 50;
const BAR_MS = 0.3;
const LINE = 'echo done';

function expectDone(name, { exitCode, stdout }) {
  const text = typeof stdout === 'string' ? stdout : stdout.text();
  if (exitCode !== 0 || text !== 'done\n') throw new Error(`${name} ended with ${exitCode}: ${text}`);
}

async function measureAdapter(engine, { name, shell, open }, pairs) {
  const { sandbox, run, close } = await open(engine);
  const calls = {
    adapter: async () => expectDone(name, await run(LINE)),
    core: async () => expectDone('sandbox.run', await sandbox.run(shell, ['-c', LINE])),
  };
  const times = { adapter: [], core: [] };
  for (let i = -WARM_UP_PAIRS; i < pairs; i++) {
    const names = i % 2 === 0 ? ['adapter', 'core'] : ['core', 'adapter'];
    for (const call of names) {
      const ms = await timed(calls[call]);
      if (i >= 0) times[call].push(ms);
    }
  }
  await close();
  return times;
}

function figuresOf(name, { adapter, core }) {
  const added = adapter.map((ms, i) => ms - core[i]);
  return [
    figure({ name: `${name}_core_ms`, unit: 'ms', samples: core }),
    figure({ name: `${name}_ms`, unit: 'ms', samples: adapter }),
    figure({ name: `${name}_added_ms`, unit: 'ms', samples: added, bar: BAR_MS }),
  ];
}

export async function measure({ scale }) {
  const engine = await Engine.open();
  const figures = [];
  try {
    for (const row of ADAPTER_CALLS)
      figures.push(...figuresOf(row.name, await measureAdapter(engine, row, PAIRS * scale)));
  } finally {
    await engine.close();
  }
  return figures;
}
