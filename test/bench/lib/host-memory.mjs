/**
 * A fresh host, measured from within: before an engine, with an idle one, and with running sandboxes. A
 * process of its own, since memory that JavaScript once had does not come back.
 */
import { Engine } from '@sbx/core';
import { helperPids, memoryOf } from './process-memory.mjs';
import { sleep } from './wait.mjs';

const RUNNING = Number(process.argv[2]);

function look() {
  for (let i = 0; i < 3; i++) globalThis.gc();
  const pids = helperPids();
  return { host: process.memoryUsage.rss(), helpers: pids.length, ...memoryOf(pids) };
}

/** The ready pool is full and nothing moves. */
async function idle(engine) {
  let before = -1;
  for (let i = 0; i < 100 && engine.counters().ready !== before; i++) {
    before = engine.counters().ready;
    await sleep(50);
  }
}

const bare = look();
const engine = await Engine.open();
for (let i = 0; i < 20; i++) await engine.run('/bin/true');
await idle(engine);
const idling = { ...look(), slots: engine.counters().ready };

const sandboxes = [];
for (let i = 0; i < RUNNING; i++) {
  const sandbox = await engine.createSandbox();
  await sandbox.spawn('/bin/sleep', ['600'], { stdout: 'null', stderr: 'null' });
  sandboxes.push(sandbox);
}
await idle(engine);
const running = look();
await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
await engine.close();
process.stdout.write(JSON.stringify({ bare, idling, running }));
