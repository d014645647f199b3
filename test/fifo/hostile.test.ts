// Neither the managed program nor another user gets at the pipes.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { managed, shell } from '../helpers/fifo.js';

const suite = useEngine();
const NEVER = [t('sleep-ms'), '60000'];
const NOBODY = { uid: 65_534, gid: 65_534 };

test('the program finds neither the directory nor a descriptor of a pipe', async () => {
  await managed(suite.engine, NEVER, async ({ dir, sandbox }) => {
    const listed = await sandbox.run('sh', ['-c', `ls -d ${dir}; ls -l /proc/*/fd /proc/self/fd`]);
    expect(listed.stderr.text()).toContain(`'${dir}': No such file or directory`);
    expect(listed.stdout.text()).not.toContain('fifo');
    const reach = await sandbox.run('sh', ['-c', `printf 0 > ${dir}/wait || ls /tmp`]);
    expect(reach.stdout.text()).toBe('');
    const found = await sandbox.run('find', ['/', '-xdev', '-name', 'wait.pipe'], { stderr: 'null' });
    expect(found.stdout.text()).toBe('');
  });
});

test('with its streams as pipes too, it holds no descriptor of the directory', async () => {
  const script = 'ls -l /proc/self/fd; read line';
  const program = { stdin: 'pipe', stdout: 'pipe', stderr: 'null' } as const;
  await managed(
    suite.engine,
    ['sh', '-c', script],
    async ({ dir }) => {
      const text = await shell(dir, 'exec 3> downward; echo > downward; cat upward');
      expect(text).toContain('0 -> ');
      expect(text).not.toContain(dir);
    },
    { pipes: true, program },
  );
});

test.runIf(process.getuid?.() === 0)('another user can neither end it, nor ask, nor look', async () => {
  await managed(suite.engine, NEVER, async ({ dir, client }) => {
    for (const script of [`printf 0 > ${dir}/wait`, `cat < ${dir}/status`, `ls ${dir}`]) {
      const { status, stderr } = spawnSync('sh', ['-c', script], { ...NOBODY, timeout: 5000 });
      expect(status).not.toBe(0);
      expect(String(stderr)).toMatch(/Permission denied/i);
    }
    expect((await client.wait()).status).toBe('process running normally');
  });
});

test('modes: alone, and with a group', async () => {
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const modes = (dir: string) => [mode(dir), mode(join(dir, 'wait')), mode(join(dir, 'status'))];
  await managed(suite.engine, NEVER, async ({ dir }) => expect(modes(dir)).toEqual(['700', '600', '600']));
  if (process.getuid?.() !== 0) return;
  const group = 54_321;
  await managed(
    suite.engine,
    NEVER,
    async ({ dir, manager }) => {
      expect(modes(dir)).toEqual(['750', '660', '660']);
      const member = { uid: 65_534, gid: group };
      expect(await shell(dir, 'printf 1 > wait; cat status', member)).toContain('running normally');
      await shell(dir, 'printf 0 > wait; cat status', member);
      await manager.finished;
      expect(existsSync(dir)).toBe(false);
    },
    { group },
  );
});

test('a directory that is not ours, not empty, or a link is refused', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sbx-fifo-test-'));
  const refused = async (dir: string) => {
    const attempt = managed(suite.engine, NEVER, async () => undefined, { dir });
    await expect(attempt).rejects.toMatchObject({ code: 'SBX_FIFO_DIRECTORY' });
  };
  try {
    await refused(join(home, 'no', 'parent'));
    writeFileSync(join(home, 'file'), '');
    await refused(join(home, 'file'));
    await refused(home);
    execFileSync('ln', ['-s', tmpdir(), join(home, 'link')]);
    await refused(join(home, 'link'));
    expect(lstatSync(join(home, 'link')).isSymbolicLink()).toBe(true);
    const others = mkdtempSync(join(home, 'others-'));
    const pipes = mkdtempSync(join(home, 'pipes-'));
    execFileSync('mkfifo', [join(pipes, 'wait')]); // as of a manager that died, but made by another user
    for (const path of [others, join(pipes, 'wait')]) chownSync(path, 65_534, 65_534);
    await refused(others);
    await refused(pipes);
    expect(statSync(join(pipes, 'wait')).isFIFO()).toBe(true);
    const empty = mkdtempSync(join(home, 'empty-'));
    chmodSync(empty, 0o755);
    await managed(suite.engine, NEVER, async ({ dir }) => expect(statSync(dir).mode & 0o777).toBe(0o700), {
      dir: empty,
    });
    expect(existsSync(empty)).toBe(false);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('a flood of requests that nobody reads does not stop the others, nor the end', async () => {
  await managed(suite.engine, NEVER, async ({ dir, client }) => {
    await shell(dir, 'head -c 60000 /dev/zero | tr "\\0" 1 > wait');
    expect((await client.wait()).status).toBe('process running normally');
    await shell(dir, 'head -c 60000 /dev/zero | tr "\\0" x > wait');
    expect((await client.wait()).status).toMatch(/^process running normally/);
    expect((await client.terminate()).status).toBe('process killed (forced termination)');
  });
});
