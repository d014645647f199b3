// The provider over a stand-in for @tanstack/ai-sandbox.
import { createTanstackProvider, type TanstackProcess, type TanstackProvider } from '@sbx/adapters/tanstack';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();

class UnsupportedCapabilityError extends Error {
  readonly provider: string;
  readonly capability: string;
  constructor(provider: string, capability: string, hint = '') {
    super(hint);
    this.provider = provider;
    this.capability = capability;
  }
}
const framework = {
  UnsupportedCapabilityError,
  createExecBackedGit: (process: TanstackProcess, root: string) => ({
    status: () => process.exec(`cd ${root} && pwd`),
  }),
};
const open = (limits = {}) => createTanstackProvider(framework, { engine: sbx.engine, limits });

async function toolsOf(provider: TanstackProvider<unknown>): Promise<Tools> {
  const { fs, process } = await provider.create({});
  return {
    write: (path, text) => fs.write(path, text),
    read: (path) => fs.read(path),
    async run(line) {
      const { exitCode, stdout, stderr } = await process.exec(line);
      return { exitCode, output: stdout + stderr };
    },
  };
}
const collect = async (chunks: AsyncIterable<string>) => {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
};

describe('the TanStack provider', () => {
  it('creates with the id asked for, resumes and destroys', async () => {
    await using provider = open();
    const handle = await provider.create({ id: 'thread-1', env: { A: 'a' } });
    expect([handle.id, handle.provider, handle.workspaceRoot]).toEqual(['thread-1', 'sbx', '/w']);
    expect((await handle.process.exec('echo $A')).stdout).toBe('a\n');
    await expect(provider.create({ id: 'thread-1' })).rejects.toMatchObject({ field: 'options.id' });
    expect((await provider.resume({ id: 'thread-1' }))?.sandbox).toBe(handle.sandbox);
    await handle.destroy();
    await provider.destroy({ id: 'thread-1' });
    expect(await provider.resume({ id: 'thread-1' })).toBeNull();
  });

  it('makes one sandbox of an id that is asked for twice at once', async () => {
    await using provider = open();
    const [first, second] = await Promise.allSettled([1, 2].map(() => provider.create({ id: 'thread-2' })));
    expect([first!.status, second]).toMatchObject(['fulfilled', { reason: { field: 'options.id' } }]);
  });

  it('leaves nothing of one that cannot be made', async () => {
    await using provider = open();
    const refused = provider.create({ id: 'thread-3', env: { '': 'a' } });
    await expect(refused).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
    expect(sbx.engine.counters().sandboxes).toBe(0);
    expect((await provider.create({ id: 'thread-3' })).id).toBe('thread-3');
  });

  it('has files; /workspace is the work folder', async () => {
    await using provider = open();
    const { fs, process } = await provider.create({});
    await fs.write('/workspace/a/f', 'text');
    expect([await fs.read('a/f'), await fs.exists('/workspace/a'), await fs.exists('/workspace/b')]).toEqual([
      'text',
      true,
      false,
    ]);
    expect((await process.exec('cat a/f', { cwd: '/workspace' })).stdout).toBe('text');
    await fs.mkdir('/workspace/d/e');
    await process.exec('ln -s f a/l');
    expect((await fs.list('/workspace/a')).map(({ path, type }) => `${path} ${type}`).toSorted()).toEqual([
      '/workspace/a/f file',
      '/workspace/a/l file',
    ]);
    expect(await fs.lstat('/workspace/a/f')).toEqual({ type: 'file', mode: 0o100644, size: 4 });
    expect(await fs.lstat('/workspace/a/l')).toMatchObject({ type: 'symlink' });
    expect(await fs.lstat('/workspace/none')).toBeUndefined();
    await fs.rename('/workspace/a/f', '/workspace/g');
    expect(await fs.readBytes('/workspace/g')).toEqual(new Uint8Array(Buffer.from('text')));
    await fs.remove('/workspace/a');
    expect((await fs.list('/workspace')).map(({ name }) => name).toSorted()).toEqual(['d', 'g']);
    await expect(fs.read('/workspace/none')).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('without an engine of the caller /workspace is what programs see', async () => {
    await using provider = createTanstackProvider(framework, {});
    const { process, workspaceRoot } = await provider.create({});
    expect([(await process.exec('pwd')).stdout, workspaceRoot]).toEqual(['/workspace\n', '/workspace']);
  });

  it('watches', async () => {
    await using provider = open();
    const { fs } = await provider.create({});
    const seen = new Set<string>();
    const watcher = await fs.watch('/workspace', ({ type, path }) => seen.add(`${type} ${path}`));
    for (let number = 0; !seen.has(`create /workspace/${number - 1}`); number++) {
      await fs.write(`/workspace/${number}`, '');
      await expect
        .poll(() => seen.has(`create /workspace/${number}`), { timeout: 1000 })
        .toBe(true)
        .catch(() => undefined);
    }
    await watcher.stop();
    await expect(fs.watch('/workspace/none', () => undefined)).rejects.toMatchObject({
      code: 'SBX_FILE_NOT_FOUND',
    });
  });

  it('spawns processes that can be talked to, killed and aborted', async () => {
    await using provider = open();
    const { process, env } = await provider.create({});
    await env.set({ NAME: 'n' });
    const cat = await process.spawn('read x; echo "$NAME $x"; echo err >&2; exit 4');
    await cat.stdin.write('ü\n');
    await cat.stdin.end();
    expect([await collect(cat.stdout), await collect(cat.stderr), await cat.wait()]).toEqual([
      'n ü\n',
      'err\n',
      4,
    ]);
    const sleeper = await process.spawn('exec sleep 100');
    await sleeper.kill('SIGINT');
    expect(await sleeper.wait()).toBe(130);
    const stubborn = await process.spawn('trap "" TERM; echo deaf; sleep 100; sleep 100');
    expect((await stubborn.stdout[Symbol.asyncIterator]().next()).value).toBe('deaf\n');
    await stubborn.kill('SIGTERM');
    expect(await stubborn.wait()).toBe(137);
    const other = await process.spawn('sleep 100');
    await other.kill();
    expect(await other.wait()).toBe(137);
    const controller = new AbortController();
    const aborted = await process.spawn('sleep 100', { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(aborted.wait()).rejects.toBe(reason);
  });

  it('forks with files and variables; the two are apart from then on', async () => {
    await using provider = open();
    const handle = await provider.create({});
    await handle.env.set({ A: 'a' });
    await handle.fs.write('f', 'before');
    const fork = await handle.fork();
    await handle.fs.write('f', 'after');
    expect([fork.id === handle.id, (await fork.process.exec('cat f; echo $A')).stdout]).toEqual([
      false,
      'beforea\n',
    ]);
  });

  it('a fork has files of the options as they are by then, not as they were given', async () => {
    const files = { changed: { text: 'given' }, removed: { text: 'given' } };
    await using provider = createTanstackProvider(framework, { engine: sbx.engine, files });
    const handle = await provider.create({});
    await handle.process.exec('echo own > changed; rm removed');
    const fork = await handle.fork();
    expect((await fork.process.exec('cat *')).stdout).toBe('own\n');
  });

  it('says where a port of it is, with a network', async () => {
    await using provider = createTanstackProvider(framework, { engine: sbx.engine, network: 'loopback' });
    expect(provider.capabilities().ports).toBe(true);
    const { process, ports } = await provider.create({});
    await process.exec('echo hello > index.html');
    await process.spawn('python3 -m http.server 8000');
    const { url } = await ports.connect(8000);
    expect(await (await fetch(url)).text()).toBe('hello\n');
  });

  it('what it has not throws the framework’s error', async () => {
    await using provider = open();
    const handle = await provider.create({});
    await expect(handle.ports.connect(80)).rejects.toMatchObject({ capability: 'ports', provider: 'sbx' });
    await expect(handle.snapshot()).rejects.toBeInstanceOf(UnsupportedCapabilityError);
    expect(provider.capabilities()).toMatchObject({ ports: false, snapshots: false, fork: true });
    expect((await handle.git.status()).stdout).toBe('/w\n');
  });

  it('what a definition asks for and it has not throws it, too', async () => {
    await using provider = open();
    const local = { source: { type: 'local', path: '/home' } };
    const allow = { capabilities: { network: 'allow' } };
    await expect(provider.create({ workspace: local })).rejects.toMatchObject({
      capability: 'workspace.source.local',
    });
    const refused = expect(provider.create({ policy: allow })).rejects;
    await refused.toMatchObject({ capability: 'networkPolicy' });
    await refused.toBeInstanceOf(UnsupportedCapabilityError);
    expect(sbx.engine.counters().sandboxes).toBe(0);
    const policy = { capabilities: { network: 'deny' } };
    const { id } = await provider.create({ workspace: { source: { type: 'none' } }, policy });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(provider.resume({ id, signal })).rejects.toThrow('enough');
  });

  it('carries an agent that works', async () => {
    await using provider = open();
    expect(await workingAgent(await toolsOf(provider))).toBe('3');
  });

  it('survives an agent that is hostile', { timeout: 60_000 }, async () => {
    await using provider = open(HOSTILE_LIMITS);
    await hostileAgent(await toolsOf(provider));
  });
});
