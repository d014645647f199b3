// `sandbox.watch`: differences between looks at a folder.
import type { Sandbox, WatchEvent, WatchOptions } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { sleep } from '../helpers/wait.js';

const sbx = useEngine();
const FAST = { intervalMs: 10, recursive: true } as const;

/** Until all of these have been seen; what came besides is among them. */
async function until(events: AsyncIterator<WatchEvent>, ...wanted: string[]): Promise<Set<string>> {
  const seen = new Set<string>();
  while (wanted.some((event) => !seen.has(event))) {
    const { value } = await events.next();
    seen.add(`${value.kind} ${value.path}`);
  }
  return seen;
}

/** The first look has been taken. */
async function watching(
  sandbox: Sandbox,
  path: string,
  options: WatchOptions,
): Promise<AsyncIterator<WatchEvent>> {
  const events = sandbox.watch(path, options);
  let isOver = false;
  const first = events.next().then(() => {
    isOver = true;
  });
  for (let number = 0; !isOver; number++) {
    await sandbox.writeFile(`${path}/ready${number % 5}`, `${number}`);
    await sleep(20);
  }
  await first;
  return events;
}

const shell = (sandbox: Sandbox, script: string) => sandbox.run('/bin/sh', ['-c', script]);

describe('watch', () => {
  it('tells what came, changed and went', async () => {
    await using sandbox = await sbx.engine.createSandbox({
      files: { 'src/old': '1', 'src/gone': '', other: '' },
    });
    const events = await watching(sandbox, 'src', FAST);
    await shell(
      sandbox,
      'cd src; echo 22 > old; rm gone; mkdir -p d/e; echo x > d/e/new; echo x > ../beside',
    );
    const wanted = [
      'change src/old',
      'remove src/gone',
      'create src/d',
      'create src/d/e',
      'create src/d/e/new',
    ];
    const seen = await until(events, ...wanted);
    expect([...seen].filter((event) => event.includes('beside'))).toEqual([]);
    await shell(sandbox, 'chmod 600 src/old; rm -r src/d');
    await until(events, 'change src/old', 'remove src/d', 'remove src/d/e/new');
  });

  it('without `recursive` looks at one folder; absolute paths come back so', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.mkdir('/tmp/a/b', { recursive: true });
    const events = await watching(sandbox, '/tmp/a/', { intervalMs: 10 });
    await sandbox.writeFile('/tmp/a/b/c', '');
    await sandbox.writeFile('/tmp/a/d', '');
    const seen = await until(events, 'create /tmp/a/d');
    expect([...seen].filter((event) => event.includes('/b/'))).toEqual([]);
  });

  it('says so when there is more than it looks at, and goes on when all fits again', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const events = await watching(sandbox, '.', { ...FAST, maxEntryCount: 10 });
    await shell(sandbox, 'touch $(seq 50)');
    await until(events, 'overflow .');
    await shell(sandbox, 'rm [0-9]*');
    // Of the first look at which all fits nothing new can be told.
    let isOver = false;
    const next = (async () => {
      for (;;) {
        const { value } = await events.next();
        if (value.kind === 'create' && value.path.startsWith('after')) return;
      }
    })().then(() => {
      isOver = true;
    });
    for (let number = 0; !isOver; number++) {
      await shell(sandbox, `rm -f after*; : > after${number}`);
      await sleep(50);
    }
    await next;
  });

  it('says so for names that are no text, and tells the others', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const events = await watching(sandbox, '.', FAST);
    await shell(sandbox, 'touch "$(printf \'bad\\377\')" good');
    await until(events, 'create good', 'overflow .');
  });

  it('outlives the folder, and never follows a link that leads out', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'd/f': '' } });
    const events = await watching(sandbox, 'd', FAST);
    await shell(sandbox, 'rm -r d');
    await until(events, 'remove d/f');
    await shell(sandbox, 'mkdir d; ln -s /etc d/out; : > d/g');
    const seen = await until(events, 'create d/g', 'create d/out');
    expect([...seen].filter((event) => event.includes('out/'))).toEqual([]);
  });

  it('a program that changes all the time does not hold the host', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const events = sandbox.watch('.', FAST);
    const busy = await sandbox.spawn('/bin/sh', ['-c', 'while :; do : > a; : > b; rm a b; done']);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const end = performance.now() + 500;
    while (performance.now() < end) await events.next();
    clearInterval(timer);
    await busy.kill();
    expect(ticks).toBeGreaterThan(10);
  });

  it('ends with the sandbox, and with its signal’s reason', async () => {
    const sandbox = await sbx.engine.createSandbox();
    const reason = new Error('enough');
    const controller = new AbortController();
    const aborted = sandbox.watch('.', { ...FAST, signal: controller.signal }).next();
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    const ended = sandbox.watch('.', { intervalMs: 60_000 }).next();
    setTimeout(() => void sandbox.close(), 20);
    expect(await ended).toEqual({ value: undefined, done: true });
    expect(() => sandbox.watch()).toThrow('is closed');
  });

  it.each<[string, string, WatchOptions, string]>([
    ['a missing folder', 'missing', {}, 'SBX_FILE_NOT_FOUND'],
    ['a file', 'f', {}, 'SBX_FILE_NOT_FOLDER'],
    ['a link out', 'out', {}, 'SBX_FILE_OUTSIDE'],
  ])('refuses %s', async (_, path, options, code) => {
    await using sandbox = await sbx.engine.createSandbox({ files: { f: '', out: { symlink: '/etc' } } });
    await expect(sandbox.watch(path, options).next()).rejects.toMatchObject({ code });
    for (const odd of [5, null, '', '../f'])
      expect(() => sandbox.watch(odd as string)).toThrow(expect.objectContaining({ field: 'path' }));
  });

  it('refuses wrong options', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    expect(() => sandbox.watch('.', { intervalMs: 1 })).toThrow(
      'options.intervalMs must be a number of ms from 10 to 60000',
    );
    expect(() => sandbox.watch('.', { maxEntryCount: 0 })).toThrow('options.maxEntryCount');
  });
});

describe('python', () => {
  it('is there beside python3', async () => {
    const { stdout } = await sbx.engine.run('python', ['-c', 'import sys; print(sys.version_info[0])']);
    expect(stdout.text()).toBe('3\n');
  });
});
