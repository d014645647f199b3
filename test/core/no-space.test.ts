// A file of known size that finds no room: nothing of it stays, and the error names the limit.
import { expect, test } from 'vitest';
import { MiB, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

test.each(['while nothing runs', 'beside a program'])('what fitted of a new file goes, %s', async (when) => {
  await using sandbox = await sbx.engine.createSandbox({ limits: { diskBytes: MiB } });
  const living = when === 'beside a program' ? await sandbox.spawn('/bin/sleep', ['60']) : null;
  const data = new Uint8Array(2 * MiB);
  for (const [path, place] of [
    ['f', '/w'],
    ['/tmp/d/f', '/tmp'],
    ['/dev/shm/f', '/dev/shm'],
  ] as const) {
    await expect(sandbox.writeFile(path, data)).rejects.toMatchObject({
      code: 'SBX_FILE_NO_SPACE',
      operation: 'write',
      path,
      errnoName: 'ENOSPC',
      message: expect.stringContaining(
        `there is no room for it: limits.diskBytes (or a tmpfs row) gives ${place} ${MiB} bytes, of which`,
      ),
    });
    expect(await sandbox.exists(path)).toBe(false);
  }
  await sandbox.writeFile('old', 'x');
  await expect(sandbox.writeFile('old', data)).rejects.toMatchObject({ code: 'SBX_FILE_NO_SPACE' });
  expect(await sandbox.exists('old')).toBe(true); // it was there before: not ours to remove
  await living?.kill();
});

test('the number of files is named where that is full', async () => {
  await using sandbox = await sbx.engine.createSandbox({ limits: { diskFileCount: 8 } });
  const fill = async () => {
    for (let index = 0; index < 20; index += 1) await sandbox.writeFile(`${index}`, 'x');
  };
  await expect(fill()).rejects.toThrow(
    /limits\.diskFileCount \(or a tmpfs row\) gives \/w \d+ files, all in use/,
  );
});

test('a write that nobody awaits is done when the next call begins', async () => {
  await using sandbox = await sbx.engine.createSandbox();
  const written = sandbox.writeFile('f', 'first');
  const { stdout } = await sandbox.run('/bin/cat', ['f']);
  expect(stdout.text()).toBe('first');
  await written;
});
