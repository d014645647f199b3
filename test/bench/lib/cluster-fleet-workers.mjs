// Many workers in one process. `node … URL COUNT SLOTS`. Everything of a worker is real but its engine, which
// sleeps for as many seconds as the job says and gives the result of a run of /bin/true.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '@sbx/cluster';
import { Engine } from '@sbx/core';

/** Workers that connect at the same time. */
const AT_ONCE = 16;

const [servers, count, slots] = process.argv.slice(2);
const real = await Engine.open({ parallelism: 1 });
const result = await real.run('/bin/true');
const info = real.info();
await real.close();

/** The form of an engine, as options are checked for it. */
const engine = Object.assign(Object.create(Engine.prototype), {
  info: () => info,
  async run(_file, [seconds]) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    return result;
  },
});

const folder = mkdtempSync(join(tmpdir(), 'sbx-bench-fleet-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.stdin.on('end', () => process.exit()).resume();

let left = Number(count);
async function startSome() {
  while (left-- > 0) {
    const cacheFolder = mkdtempSync(join(folder, 'worker-'));
    const options = { servers: servers.split(','), slots: Number(slots), languages: [], engine, cacheFolder };
    await startWorker(options);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, startSome));
process.stdout.write('ready\n');
