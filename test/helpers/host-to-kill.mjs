// A host that will be killed with SIGKILL in mid-run. Argument: the mounts as JSON. Prints its engine's info,
// then keeps programs running.
import { Engine } from '@sbx/core';

const engine = await Engine.open({ mounts: JSON.parse(process.argv[2]), parallelism: 8 });
const far = { cpuTimeMs: null, wallTimeMs: null };

for (const [name, ...args] of [
  ['sleep-ms', '600000'],
  ['fork-bomb', 'plain'],
  ['fork-bomb', 'deaf'],
  ['deaf'],
  ['stop', 'all'],
])
  void engine.run(`/t/${name}`, args, { limits: far });
for (let i = 0; i < 10; i++) {
  const sandbox = await engine.createSandbox({ files: { 'large.bin': new Uint8Array(2 ** 20) } });
  await sandbox.spawn('/t/sleep-ms', ['600000']);
}
process.stdout.write(`${JSON.stringify(engine.info())}\n`);

// And some in the middle of being made, at any moment.
for (;;) await engine.run('/t/true');
