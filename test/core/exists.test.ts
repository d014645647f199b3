// Whether there is anything at a path of a sandbox.
import { expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';

const sbx = useEngine();

it.each([
  ['a file', 'f', true],
  ['a folder', 'd', true],
  ['the work folder', '.', true],
  ['the work folder by its own path', '/w', true],
  ['a file of /tmp', '/tmp/t', true],
  ['a link to a file', 'to-file', true],
  ['a pipe', 'pipe', true],
  ['nothing', 'nothing', false],
  ['something in a folder that is not there', 'nothing/f', false],
  ['something in what is no folder', 'f/g', false],
  ['a link that leads nowhere', 'to-nothing', false],
])('%s', async (_, path, isThere) => {
  await using sandbox = await sbx.engine.createSandbox({ files: { f: 'x', 'd/f': 'x' } });
  await sandbox.sh`touch /tmp/t; ln -s f to-file; ln -s nothing to-nothing; mkfifo pipe`;
  expect(await sandbox.exists(path)).toBe(isThere);
});

it('what cannot be told is an error, and no answer', async () => {
  await using sandbox = await sbx.engine.createSandbox({ files: { out: { symlink: '/etc/passwd' } } });
  for (const path of ['/etc/passwd', 'out'])
    await expect(sandbox.exists(path)).rejects.toMatchObject({ code: 'SBX_FILE_OUTSIDE' });
  await expect(sandbox.exists('../x')).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field: 'path' });
  await sandbox.close();
  await expect(sandbox.exists('f')).rejects.toMatchObject({ code: 'SBX_CLOSED' });
});
