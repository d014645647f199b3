// Group F over the two-pipe protocol, and the program's side of it.
import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FifoClient } from '@sbx/fifo-client';
import { FifoManager } from '@sbx/fifo-protocol/server';

/** A managed program with its client, for as long as `use` takes. */
async function managed({ target, world }, argv, use) {
  const home = mkdtempSync(join(world.temp, 'fifo-'));
  const dir = join(home, 'pipes');
  const sandbox = await target.engine.createSandbox();
  const [file, ...args] = argv;
  const limits = { wallTimeMs: 60_000, cpuTimeMs: 60_000 };
  const start = () => sandbox.spawn(file, args, { stdout: 'null', stderr: 'null', limits });
  const manager = await FifoManager.open(start, { dir });
  try {
    await manager.started;
    return await use({ dir, sandbox, client: new FifoClient(dir) });
  } finally {
    await manager.close();
    await sandbox.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const shell = (dir, script) =>
  new Promise((resolve) => {
    execFile('timeout', ['-s', 'KILL', '5', 'sh', '-c', script], { cwd: dir }, (_, stdout) =>
      resolve(stdout),
    );
  });

async function timedAnswer(client) {
  const start = performance.now();
  const { status } = await client.wait();
  return { status, ms: performance.now() - start };
}

/** A normal client in the middle of each abuse is answered within 200 ms, and `0` always works. */
export const abusePipes = (context) =>
  managed(context, ['/t/sleep-ms', '60000'], async ({ dir, client }) => {
    const problems = [];
    const answersDuring = async (what, abuse) => {
      const over = abuse();
      const { status, ms } = await timedAnswer(client);
      if (!/running/.test(status)) problems.push(`${what}: ${status}`);
      if (ms > 200) problems.push(`${what}: answered after ${Math.round(ms)} ms`);
      await over;
    };
    await client.wait();
    const open = openSync(join(dir, 'wait'), constants.O_WRONLY | constants.O_NONBLOCK);
    await sleep(50);
    closeSync(open);
    await answersDuring('64 KiB of 1', () => shell(dir, 'head -c 65536 /dev/zero | tr "\\0" 1 > wait'));
    await answersDuring('close without read', () =>
      shell(dir, 'for i in 1 2 3 4 5; do printf 1 > wait; done'),
    );
    await answersDuring('never open status', async () => {
      const fd = openSync(join(dir, 'wait'), constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(fd, '1');
      closeSync(fd);
    });
    const both = await Promise.all([client.wait(), new FifoClient(dir).wait(), new FifoClient(dir).wait()]);
    if (both.some(({ status }) => !/running/.test(status)))
      problems.push(`clients at once: ${both.map(({ status }) => status)}`);
    const end = await client.terminate();
    if (!/killed|terminated/.test(end.status)) problems.push(`last call: ${end.status}`);
    return problems;
  });

export const reachPipes = (context) =>
  managed(context, ['/t/sleep-ms', '60000'], async ({ dir, sandbox, client }) => {
    const problems = [];
    const { stdout } = await sandbox.run('/bin/sh', [
      '-c',
      `ls -d ${dir} && echo "GOT the folder"; printf 0 > ${dir}/wait && echo "GOT the pipe"
       for p in /proc/[0-9]*; do for f in $p/fd/*; do case $f in */fd/[012]) ;; *) readlink $f | grep -v ' (deleted)' | grep -e fifo -e wait && echo "GOT $f";; esac; done; done
       find / -xdev \\( -name wait -o -name status.pipe \\) -type p 2>/dev/null | grep . && echo "GOT by name"; true`,
    ]);
    const gained = stdout
      .text()
      .split('\n')
      .filter((line) => line.startsWith('GOT'));
    problems.push(...gained);
    const walk = await sandbox.run('/a/fd-walk');
    if (!/^done$/m.test(walk.stdout.text()) || /GOT/.test(walk.stdout.text()))
      problems.push(walk.stdout.text());
    const { status } = await client.wait();
    if (!/running/.test(status)) problems.push(status);
    return problems;
  });
