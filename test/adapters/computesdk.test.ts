// The provider over a stand-in for ComputeSDK's defineProvider.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AdapterOptions,
  type ComputeProviderConfig,
  createComputeProvider,
} from '@sbx/adapters/computesdk';
import { DEFAULT_MOUNTS } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();

/** As the framework's, without what it adds of its own. */
const defineProvider = (config: ComputeProviderConfig) => () => ({
  name: config.name,
  ...config.methods.sandbox,
});
const open = (limits = {}, more: AdapterOptions = {}) =>
  createComputeProvider(defineProvider, { engine: sbx.engine, limits, ...more });
type Provider = ReturnType<typeof open>;

async function toolsOf(provider: Provider): Promise<Tools> {
  const { sandbox } = await provider.create(undefined);
  return {
    write: (path, text) => provider.filesystem.writeFile(sandbox, path, text),
    read: (path) => provider.filesystem.readFile(sandbox, path),
    async run(line) {
      const { exitCode, stdout, stderr } = await provider.runCommand(sandbox, line);
      return { exitCode, output: stdout + stderr };
    },
  };
}

describe('the ComputeSDK provider', () => {
  it('creates, finds, lists and destroys', async () => {
    await using provider = open();
    const { sandboxId, sandbox } = await provider.create(undefined, { metadata: { a: 1 } });
    expect((await provider.getById(undefined, sandboxId))?.sandbox).toBe(sandbox);
    expect((await provider.list(undefined)).map((it) => it.sandboxId)).toEqual([sandboxId]);
    expect(await provider.getInfo(sandbox)).toMatchObject({
      id: sandboxId,
      status: 'running',
      metadata: { a: 1 },
    });
    await provider.destroy(undefined, sandboxId);
    await provider.destroy(undefined, sandboxId);
    expect(await provider.getById(undefined, sandboxId)).toBeNull();
    expect(await provider.getInfo(sandbox)).toMatchObject({ status: 'stopped' });
    await expect(provider.getUrl(sandbox, { port: 80 })).rejects.toMatchObject({
      code: 'SBX_CLOSED',
    });
  });

  it('says where a port of it is, with a network', async () => {
    await using provider = open({}, { network: 'loopback' });
    const { sandbox } = await provider.create(undefined);
    const serve = 'echo hello > index.html; python3 -m http.server 8000';
    await provider.runCommand(sandbox, serve, { background: true });
    const url = await provider.getUrl(sandbox, { port: 8000 });
    expect(await (await fetch(url)).text()).toBe('hello\n');
    expect(await provider.getUrl(sandbox, { port: 8000 })).toBe(url);
    await using closed = open();
    const without = await closed.create(undefined);
    const asked = closed.getUrl(without.sandbox, { port: 8000 });
    await expect(asked).rejects.toMatchObject({ field: 'options.network' });
  });

  it('runs commands with folder, variables, time-out, streams and in the background', async () => {
    await using provider = open();
    const { sandbox } = await provider.create(undefined, { envs: { A: 'a' } });
    const run = (line: string, options = {}) => provider.runCommand(sandbox, line, options);
    expect(await run('echo $A$B; pwd; exit 2', { env: { B: 'b' }, cwd: '/tmp' })).toMatchObject({
      stdout: 'ab\n/tmp\n',
      exitCode: 2,
    });
    expect(await run('sleep 9', { timeout: 100 })).toMatchObject({ exitCode: 124 });
    expect(await run('missing-program')).toMatchObject({ exitCode: 127 });
    const chunks: string[] = [];
    await provider.streamCommand(sandbox, 'printf ä; echo x >&2', {
      onStdout: (text) => chunks.push(text),
      onStderr: (text) => chunks.push(text),
    });
    expect(chunks.toSorted()).toEqual(['x\n', 'ä']);
    expect(await run('sleep 0.1; touch late', { background: true })).toMatchObject({ exitCode: 0 });
    await expect.poll(() => provider.filesystem.exists(sandbox, 'late')).toBe(true);
  });

  it('has a file system', async () => {
    await using provider = open();
    const { sandbox } = await provider.create(undefined);
    const { filesystem: files } = provider;
    await files.mkdir(sandbox, '/w/a/b');
    await files.writeFile(sandbox, '/w/a/f', 'text');
    expect(await files.readFile(sandbox, 'a/f')).toBe('text');
    const entries = await files.readdir(sandbox, 'a');
    expect(
      entries.map(({ name, type, size }) => [name, type, type === 'file' ? size : 0]).toSorted(),
    ).toEqual([
      ['b', 'directory', 0],
      ['f', 'file', 4],
    ]);
    await files.remove(sandbox, '/w/a');
    await files.remove(sandbox, '/w/a');
    expect(await files.exists(sandbox, '/w/a')).toBe(false);
    await expect(files.readFile(sandbox, '/w/a/f')).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('ends a sandbox after its time, and all with the provider', async () => {
    const provider = open();
    const { sandboxId } = await provider.create(undefined, { timeout: 50 });
    await expect.poll(() => provider.getById(undefined, sandboxId)).toBeNull();
    expect(await provider.list(undefined)).toEqual([]);
    await provider.create(undefined);
    await provider.close();
    expect(sbx.engine.counters().sandboxes).toBe(0);
  });

  it('has the lifetime of its options where `create` says none', async () => {
    const options = { engine: sbx.engine, lifetimeMs: 400 };
    await using provider = createComputeProvider(defineProvider, options);
    const { sandbox, sandboxId } = await provider.create(undefined);
    const { sandbox: staying } = await provider.create(undefined, { timeout: 0 });
    const { sandbox: alike } = await provider.create(undefined, { timeout: undefined });
    for (const each of [sandbox, alike])
      expect(await provider.getInfo(each)).toMatchObject({ status: 'running', timeout: 400 });
    await expect.poll(() => provider.getById(undefined, sandboxId)).toBeNull();
    expect(await provider.getInfo(sandbox)).toMatchObject({ status: 'stopped' });
    expect(await provider.getInfo(staying)).toMatchObject({ status: 'running', timeout: 0 });
  });

  it('opens an engine of its own at the next sandbox where it could not be opened before', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'sbx-test-late-'));
    const source = join(parent, 'late');
    const mounts = [...DEFAULT_MOUNTS, { kind: 'bind', source, target: '/late' } as const];
    const provider = createComputeProvider(defineProvider, { engineOptions: { mounts } });
    try {
      await expect(provider.create(undefined)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
      await mkdir(source);
      const { sandbox } = await provider.create(undefined);
      expect(await provider.runCommand(sandbox, 'test -d /late')).toMatchObject({ exitCode: 0 });
    } finally {
      await provider.close();
      await rm(parent, { recursive: true });
    }
  });

  it('refuses what would be something else', async () => {
    await using provider = open();
    const strangers = { image: 'alpine', memory: 512, cpu: 2, ports: [80], name: 'n' };
    for (const [name, value] of Object.entries(strangers))
      await expect(provider.create(undefined, { [name]: value } as never), name).rejects.toMatchObject({
        field: `options.${name}`,
        code: 'SBX_INVALID_OPTIONS',
      });
    for (const timeout of [-1, Number.NaN, 2 ** 31])
      await expect(provider.create(undefined, { timeout }), `${timeout}`).rejects.toMatchObject({
        field: 'options.timeout',
      });
    expect(await provider.list(undefined)).toEqual([]);
    await provider.create(undefined, { image: undefined, provider: 'sbx', runtime: 'python' } as never);
    const { sandbox } = await provider.create(undefined);
    await expect(provider.runCommand(sandbox, 'true', { timeout: -1 })).rejects.toMatchObject({
      field: 'options.limits.wallTimeMs',
    });
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
