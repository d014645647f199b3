/**
 * A broker for benchmarks, with a store of its own that goes with it, and its clients from where @sbx/cluster
 * has them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../helpers/free-port.mjs';
import { killAtExit } from './kill-at-exit.mjs';

const root = join(import.meta.dirname, '../../..');
const require = createRequire(join(root, 'packages/cluster/package.json'));

export const { connect, headers } = require('@nats-io/transport-node');
export const { AckPolicy, RetentionPolicy, jetstream, jetstreamManager } = require('@nats-io/jetstream');

/** `more`: arguments besides those of a single one. */
export async function startBroker(more = []) {
  const binary = execFileSync(process.execPath, [join(root, 'scripts/nats-server.mjs')], {
    encoding: 'utf8',
  });
  const store = mkdtempSync(join(tmpdir(), 'sbx-bench-nats-'));
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', store, ...more];
  const child = killAtExit(spawn(binary.trim(), args, { stdio: ['ignore', 'ignore', 'pipe'] }));
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => data.includes('Server is ready') && resolve());
    child.once('exit', reject);
  });
  return {
    pid: child.pid,
    url: `nats://127.0.0.1:${port}`,
    /** User and system time so far. */
    cpuTimeMs() {
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      rmSync(store, { recursive: true, force: true });
    },
  };
}
