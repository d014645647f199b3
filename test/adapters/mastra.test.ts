// The sandbox over stand-ins for the classes of @mastra/core/workspace.
import {
  type AdapterOptions,
  createMastraSandbox,
  type MastraCommandResult,
  type MastraProcess,
} from '@sbx/adapters/mastra';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();

interface Options {
  onStdout?: (text: string) => void;
  timeout?: number;
  env?: Record<string, string | undefined>;
  stdinMode?: 'pipe' | 'ignore';
  maxRetainedBytes?: number;
}

/** Keeps the end of each output, as the framework's does. */
class ProcessHandle {
  stdout = '';
  stderr = '';
  readonly #options: Options;
  constructor(options: Options = {}) {
    this.#options = options;
  }
  emitStdout(text: string): void {
    this.stdout = (this.stdout + text).slice(-this.#options.maxRetainedBytes!);
    this.#options.onStdout?.(text);
  }
  emitStderr(text: string): void {
    this.stderr = (this.stderr + text).slice(-this.#options.maxRetainedBytes!);
  }
}

abstract class SandboxProcessManager {
  readonly _tracked = new Map<string, MastraProcess>();
  abstract spawn(line: string, options?: Options): Promise<MastraProcess>;
  abstract list(): Promise<{ pid: string; running: boolean }[]>;
}

/** Starts once, and runs commands by its process manager. */
abstract class MastraSandbox {
  readonly processes: SandboxProcessManager;
  abstract status: string;
  abstract start(options?: { abortSignal?: AbortSignal }): Promise<void>;
  abstract stop(): Promise<void>;
  abstract destroy(): Promise<void>;
  abstract getInfo(): { status: string; provider: string; resources: { memoryUsedMB?: number } };
  constructor({ processes }: { processes: SandboxProcessManager }) {
    this.processes = processes;
  }
  async executeCommand(line: string, options: Options = {}): Promise<MastraCommandResult> {
    const all: Options = { maxRetainedBytes: Number.POSITIVE_INFINITY, stdinMode: 'ignore', ...options };
    return (await this.processes.spawn(line, all)).wait();
  }
}

const framework = { MastraSandbox, SandboxProcessManager, ProcessHandle };
async function start(limits = {}, network: AdapterOptions['network'] = false) {
  const sandbox = createMastraSandbox(framework, { engine: sbx.engine, limits, network });
  await sandbox.start();
  return Object.assign(sandbox, { [Symbol.asyncDispose]: () => sandbox.destroy() });
}
const toolsOf = (sandbox: Awaited<ReturnType<typeof start>>): Tools => ({
  write: (path, text) => sandbox.sandbox!.writeFile(path, text),
  read: (path) => sandbox.sandbox!.readTextFile(path),
  async run(line) {
    const { exitCode, stdout, stderr } = await sandbox.executeCommand(line);
    return { exitCode, output: stdout + stderr };
  },
});

describe('the Mastra sandbox', () => {
  it('has a life: files outlast a stop, nothing outlasts destroy', async () => {
    const sandbox = await start();
    expect(sandbox).toBeInstanceOf(MastraSandbox);
    expect([sandbox.id.slice(0, 4), sandbox.name, sandbox.provider]).toEqual(['sbx-', 'SbxSandbox', 'sbx']);
    expect(sandbox.getInfo().resources.memoryUsedMB).toBeTypeOf('number');
    await sandbox.executeCommand('echo kept > f');
    await sandbox.stop();
    await expect(sandbox.executeCommand('true')).rejects.toMatchObject({ code: 'SBX_CLOSED' });
    await sandbox.start();
    expect((await sandbox.executeCommand('cat f')).stdout).toBe('kept\n');
    await sandbox.destroy();
    await sandbox.destroy();
    expect(sandbox.status).toBe('destroyed');
    expect(sbx.engine.counters().sandboxes).toBe(0);
  });

  it('files of the options are as they were at the stop, not as they were given', async () => {
    const files = { changed: { text: 'given' }, removed: { text: 'given' } };
    const sandbox = createMastraSandbox(framework, { engine: sbx.engine, files });
    await sandbox.start();
    await sandbox.executeCommand('echo own > changed; rm removed');
    await sandbox.stop();
    await sandbox.start();
    expect((await sandbox.executeCommand('cat *')).stdout).toBe('own\n');
    await sandbox.destroy();
  });

  it('runs commands with call-backs, variables, time-outs and retained bytes', async () => {
    await using sandbox = await start();
    const chunks: string[] = [];
    const options = { env: { A: 'a', B: undefined }, onStdout: (text: string) => chunks.push(text) };
    expect(await sandbox.executeCommand('echo $A ü; exit 3', options)).toMatchObject({
      success: false,
      exitCode: 3,
      stdout: 'a ü\n',
      timedOut: false,
      killed: false,
    });
    expect(chunks.join('')).toBe('a ü\n');
    expect(await sandbox.executeCommand('sleep 9', { timeout: 100 })).toMatchObject({
      exitCode: 124,
      timedOut: true,
      stderr: 'sbx: ended: it took longer than its limit (wall-limit)\n',
    });
    expect(await sandbox.executeCommand('exit 124')).toMatchObject({ timedOut: false });
    // Without a word of the caller the framework asks for all of it: the host keeps a MiB.
    expect((await sandbox.executeCommand('head -c 5000000 /dev/zero')).stdout.length).toBe(2 ** 20);
    expect((await sandbox.executeCommand('echo 123456', { maxRetainedBytes: 3 })).stdout).toBe('56\n');
    const tooMany = sandbox.executeCommand('true', { maxRetainedBytes: 2 ** 26 + 1 });
    await expect(tooMany).rejects.toMatchObject({ field: 'options.maxRetainedBytes' });
  });

  it('a call-back that throws ends its process, which is not listed as a running one', async () => {
    await using sandbox = await start();
    const onStdout = () => {
      throw new Error('enough');
    };
    const process = await sandbox.processes.spawn('echo x; exec sleep 100', {
      onStdout,
      maxRetainedBytes: 9,
    });
    await expect(process.wait()).rejects.toThrow('enough');
    expect([process.exitCode, await process.kill()]).toEqual([137, false]);
    expect(await sandbox.processes.list()).toEqual([{ pid: process.pid, running: false, exitCode: 137 }]);
  });

  it('takes a variable out of the environment where it is undefined', async () => {
    const sandbox = createMastraSandbox(framework, {
      engine: sbx.engine,
      env: { PATH: '/bin', A: 'a', B: 'b' },
    });
    await sandbox.start();
    expect((await sandbox.executeCommand('echo $A$B', { env: { A: undefined } })).stdout).toBe('b\n');
    await sandbox.destroy();
  });

  it('is one sandbox, however often it is started, and gone when it is destroyed meanwhile', async () => {
    const sandbox = createMastraSandbox(framework, { engine: sbx.engine });
    await Promise.all([sandbox.start(), sandbox.start()]);
    await sandbox.executeCommand('echo kept > f');
    await sandbox.start();
    expect((await sandbox.executeCommand('cat f')).stdout).toBe('kept\n');
    expect(sbx.engine.counters().sandboxes).toBe(1);
    await sandbox.stop();
    await Promise.all([sandbox.start(), sandbox.destroy()]);
    expect([sandbox.sandbox, sbx.engine.counters().sandboxes]).toEqual([null, 0]);
  });

  it('says where a port of it is, with a network and while it runs', async () => {
    const sandbox = await start({}, 'loopback');
    await sandbox.executeCommand('echo hello > index.html');
    await sandbox.processes.spawn('python3 -m http.server 8000');
    const { getPortUrl } = sandbox.networking!;
    expect(await (await fetch((await getPortUrl(8000))!)).text()).toBe('hello\n');
    await sandbox.destroy();
    expect(await getPortUrl(8000)).toBeNull();
    const without = await start();
    expect(without.networking).toBeUndefined();
    await without.destroy();
  });

  it('is not started after an abort', async () => {
    const sandbox = createMastraSandbox(framework, { engine: sbx.engine });
    const abortSignal = AbortSignal.abort(new Error('enough'));
    await expect(sandbox.start({ abortSignal })).rejects.toThrow('enough');
    expect(sbx.engine.counters().sandboxes).toBe(0);
    await sandbox.destroy();
  });

  it('has background processes that are talked to, listed and killed', async () => {
    await using sandbox = await start();
    const cat = await sandbox.processes.spawn('read x; echo "<$x>"');
    expect(await sandbox.processes.list()).toEqual([{ pid: cat.pid, running: true }]);
    await cat.sendStdin('hi\n');
    await cat.closeStdin();
    expect(await cat.wait()).toMatchObject({ exitCode: 0, stdout: '<hi>\n' });
    expect(await cat.kill()).toBe(false);
    await expect(cat.sendStdin('x')).rejects.toThrow('already exited with code 0');
    const sleeper = await sandbox.processes.spawn('sleep 100', { stdinMode: 'ignore' });
    await expect(sleeper.sendStdin('x')).rejects.toThrow('does not have stdin');
    expect(await sleeper.kill()).toBe(true);
    expect(await sleeper.wait()).toMatchObject({ exitCode: 137, killed: true, timedOut: false });
    expect((await sandbox.processes.list()).map(({ running }) => running)).toEqual([false, false]);
  });

  it('limits of time that the options have hold for background processes', async () => {
    await using sandbox = await start({ wallTimeMs: 200 });
    expect(await (await sandbox.processes.spawn('sleep 100')).wait()).toMatchObject({ timedOut: true });
  });

  it('carries an agent that works', async () => {
    await using sandbox = await start();
    expect(await workingAgent(toolsOf(sandbox))).toBe('3');
  });

  it('survives an agent that is hostile', { timeout: 60_000 }, async () => {
    await using sandbox = await start(HOSTILE_LIMITS);
    await hostileAgent(toolsOf(sandbox));
  });
});
