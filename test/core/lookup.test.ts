/** How a program is found by its name, and what it gets as its environment. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { type OneShotOptions, ProgramNotFoundError, type SbxError } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

const script = (text: string, mode = 0o755) => ({ text: `#!/bin/sh\n${text}\n`, mode });
/** Says which one it is and what it was called. */
const SAY = { own: script('echo own "$0"'), 'bin/own': script('echo bin "$0"') };

async function say(file: string, options: OneShotOptions): Promise<string> {
  const result = await sbx.engine.run(file, [], { lookup: 'cwd-first', ...options });
  return `${result.status} ${result.stdout.text().trim()}`;
}

async function errorOf(file: string, options: OneShotOptions): Promise<SbxError> {
  return sbx.engine.run(file, [], { lookup: 'cwd-first', ...options }).then(
    () => Promise.reject(new Error('it ran')),
    (error) => error,
  );
}

describe('cwd-first', () => {
  it('the working folder wins over PATH', async () => {
    expect(await say('own', { files: SAY, env: { PATH: '/w/bin:/bin' } })).toBe('ok own own');
    expect(await say('own', { files: SAY, env: { PATH: '/bin' }, cwd: 'bin' })).toBe('ok bin own');
  });

  it('argv[0] becomes the path found', async () => {
    const found = await sbx.engine.run('sh', ['-c', 'tr "\\0" " " < /proc/$$/cmdline'], {
      lookup: 'cwd-first',
      env: { PATH: '/nowhere:/bin//' },
    });
    expect(found.stdout.text()).toMatch(/^\/bin\/sh -c /);
    const plain = await sbx.engine.run('sh', ['-c', 'tr "\\0" " " < /proc/$$/cmdline']);
    expect(plain.stdout.text()).toMatch(/^sh -c /);
  });

  it('the last PATH decides, in its order, an empty element being the working folder', async () => {
    const env = ['PATH=/nowhere', 'PATH=/w/bin:/bin'];
    expect(await say('own', { files: { 'bin/own': SAY['bin/own'] }, env })).toBe('ok bin /w/bin/own');
    expect(await say('own', { files: SAY, env: ['PATH=:/w/bin'], cwd: 'bin' })).toBe('ok bin own');
  });

  it('a folder or a file that cannot be executed is passed over', async () => {
    const files = { 'own/x': '', 'a/own': script('', 0o644), 'b/own': script('echo b') };
    expect(await say('own', { files, env: ['PATH=a:b'] })).toBe('ok b');
  });

  it('what is found is the program, even when it cannot be executed after all', async () => {
    const files = { own: { text: 'no program', mode: 0o755 }, 'bin/own': SAY['bin/own'] };
    const error = await errorOf('own', { files, env: ['PATH=/w/bin'] });
    expect(error.code).toBe('SBX_PROGRAM_NOT_EXECUTABLE');
    const bad = { own: { text: '#!/no/such/shell\n', mode: 0o755 } };
    expect(await errorOf('own', { files: bad })).toMatchObject({
      code: 'SBX_PROGRAM_NOT_FOUND',
      details: { found: 'own' },
    });
  });

  it('not found says so, and whether there was a PATH at all', async () => {
    const withPath = await errorOf('nothing', { env: ['PATH=/bin'] });
    expect(withPath).toBeInstanceOf(ProgramNotFoundError);
    expect(withPath.details).not.toHaveProperty('noPath');
    expect((await errorOf('nothing', { env: ['PATH='] })).details).not.toHaveProperty('noPath');
    expect((await errorOf('nothing', { env: ['A=1'] })).details).toMatchObject({ noPath: true });
    expect((await errorOf('sh', { env: [] })).details).toMatchObject({ noPath: true, tried: ['sh'] });
    expect((await errorOf('./nothing', { env: [] })).details).not.toHaveProperty('noPath');
    expect((await errorOf('own', { files: { own: 'x' }, env: ['PATH=/bin'] })).code).toBe(
      'SBX_PROGRAM_NOT_FOUND',
    );
  });

  it('a name with a slash is a path, as it is', async () => {
    expect(await say('./own', { files: SAY, env: ['PATH=/w/bin'] })).toBe('ok own ./own');
  });

  it('also beside other programs of a session', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: SAY });
    await using _other = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const result = await sandbox.run('own', [], { lookup: 'cwd-first' });
    expect(result.stdout.text()).toBe('own own\n');
    await expect(sandbox.run('nothing', [], { lookup: 'cwd-first' })).rejects.toThrow('no program "nothing"');
  });

  it('by default the working folder is not looked at', async () => {
    await expect(sbx.engine.run('own', [], { files: SAY })).rejects.toThrow('no program "own"');
  });
});

describe('an environment of strings', () => {
  it('arrives as it is, in its order, twice and without a name', async () => {
    const env = ['B=2', 'A=1', 'A=3', 'no equals', '', '=x', 'Ż=ó'];
    const result = await sbx.engine.run('/bin/cat', ['/proc/self/environ'], { env });
    expect(result.stdout.text()).toBe(env.map((variable) => `${variable}\0`).join(''));
  });

  it('an empty one is empty', async () => {
    const result = await sbx.engine.run('/bin/cat', ['/proc/self/environ'], { env: [] });
    expect(result.stdout.text()).toBe('');
  });

  it('a session has one for its programs, and a program its own', async () => {
    await using sandbox = await sbx.engine.createSandbox({ env: ['A=1', 'PATH=/bin'] });
    const own = await sandbox.run('cat', ['/proc/self/environ'], { env: ['B=2', 'PATH=/bin'] });
    const shared = await sandbox.run('cat', ['/proc/self/environ']);
    expect([own.stdout.text(), shared.stdout.text()]).toEqual(['B=2\0PATH=/bin\0', 'A=1\0PATH=/bin\0']);
  });
});

describe('a name that means something else on the host', () => {
  const folder = '/proc/self/fd';
  const hasNoPath = (link: string) => !link.startsWith('/');

  it('is not found, and nothing else happens', async () => {
    // Of this process: the event loop's, which every Node has.
    const own = readdirSync(folder).filter((fd) => {
      const path = `${folder}/${fd}`;
      return Number(fd) > 2 && existsSync(path) && hasNoPath(readlinkSync(path)); // those a program has, too
    });
    const errors = await Promise.all(own.map((fd) => errorOf(`${folder}/${fd}`, { lookup: 'path' })));
    // Low numbers init has as well: links that are not followed.
    const missing = errors.filter(({ code }) => code !== 'SBX_PROGRAM_NOT_EXECUTABLE');
    expect(missing.length).toBeGreaterThan(0);
    for (const error of missing) {
      expect(error).toBeInstanceOf(ProgramNotFoundError);
      expect(error.details).not.toHaveProperty('onHost');
    }
  });
});
