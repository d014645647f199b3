/**
 * A hundred at once: sandboxes made and a first command run in each, as an agent platform sees it in the
 * morning, next to a hundred unconfined spawns at once. The two take turns, burst by burst.
 */
import { Engine } from '@sbx/core';
import { LIMITS, makeContenders } from './lib/contenders.mjs';
import { figure, ratioOf } from './lib/figures.mjs';
import { p50 } from './lib/stats.mjs';
import { settle, sleep, timed } from './lib/wait.mjs';

export const title = '100 sandboxes made at once, with a first command in each';

const COUNT = 100;
const BURSTS = 10;

const atOnce = (work) => Promise.all(Array.from({ length: COUNT }, (_, i) => work(i)));

/** From the call to the end of the first command, for each of them. */
async function sandboxBurst(engine, seen) {
  const start = performance.now();
  const since = () => performance.now() - start;
  const sandboxes = await atOnce(async () => {
    const sandbox = await engine.createSandbox({ limits: LIMITS });
    seen.created.push(since());
    const result = await sandbox.run('/bin/true');
    if (!result.ok) throw new Error(`/bin/true ended with ${result.status}`);
    seen.answered.push(since());
    return sandbox;
  });
  seen.whole.push(since());
  seen.closed.push(await timed(() => Promise.all(sandboxes.map((sandbox) => sandbox.close()))));
}

export async function measure({ scale }) {
  const engine = await Engine.open();
  const contenders = await makeContenders(engine);
  const bare = contenders.ours.find(({ name }) => name === 'spawn');
  const seen = { created: [], answered: [], whole: [], closed: [] };
  const spawned = [];
  for (let i = 0; i < BURSTS * scale; i++) {
    await settle(engine, 50);
    await sandboxBurst(engine, seen);
    await settle(engine, 50);
    spawned.push(await timed(() => atOnce(() => bare.run(0))));
  }
  await contenders.close();
  await sleep(0);
  await engine.close();
  return [
    figure({ name: 'burst_created_ms', unit: 'ms', samples: seen.created }),
    figure({ name: 'burst_first_command_ms', unit: 'ms', samples: seen.answered }),
    figure({ name: 'burst_whole_ms', unit: 'ms', samples: seen.whole }),
    figure({ name: 'burst_close_ms', unit: 'ms', samples: seen.closed }),
    figure({ name: 'spawn_burst_whole_ms', unit: 'ms', samples: spawned }),
    ratioOf(p50, { name: 'burst_over_spawn_p50', above: seen.whole, below: spawned }),
  ];
}
