/** Outputs of ours that take no more: a full disk, a reader that has gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, SBX, sbx, startSbx } from './sbx.js';

const shell = (script: string, ...flags: string[]) => ['run', '-q', ...flags, '--', 'sh', '-c', script];

test.each([
  ['an output', shell('echo hi'), 'sbx: error: stdout cannot be written: ENOSPC'],
  ['an output without an end', shell('yes'), 'sbx: error: stdout cannot be written: ENOSPC'],
  ['a bounded output', shell('echo hi', '--output', '1MiB'), 'sbx: error: stdout cannot be written: ENOSPC'],
  ['the object of --json', shell('echo hi', '--json'), ''],
  ['the object of a server', ['serve', '--json', '--port', '0', '--protocols', 'gojudge'], ''],
])('%s that a full disk does not take ends with 74', async (_what, args, said) => {
  const full = openSync('/dev/full', 'w');
  try {
    const child = spawn(process.execPath, [SBX, ...args], { stdio: ['ignore', full, 'pipe'] });
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(74);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('bug');
  } finally {
    closeSync(full);
  }
});

test('a reader that has gone before the object of --json comes is told by the exit code', async () => {
  const child = startSbx(shell('sleep 0.2', '--json'));
  child.stdout.destroy();
  expect(await ended(child)).toMatchObject({ stderr: '', code: 141 });
});

test.each([[[]], [['--output', '1MiB']]])(
  'a reader of stderr that goes away ends the program (%j)',
  async (flags) => {
    // Slowly, so that no limit ends it first.
    const child = startSbx(shell('while echo x; do sleep 0.01; done >&2', ...flags));
    await once(child.stderr, 'data');
    child.stderr.destroy();
    const [code] = await once(child, 'close');
    expect(code).toBe(141);
  },
);

test('a managed program whose stderr nobody reads writes to nobody, and is managed on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-test-outputs-'));
  const dir = join(folder, 'pipes');
  try {
    const child = startSbx(['fifo', 'run', '--pipes', '--dir', dir, '--', 'sh', '-c', 'yes >&2']);
    const end = once(child, 'close'); // it may end before the one that asks
    await once(child.stderr, 'data');
    child.stderr.destroy();
    const asked = await sbx(['fifo', 'ask', dir, '0']);
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('exit status 141') });
    const [code] = await end;
    expect(code).toBe(0);
    expect(existsSync(dir)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
