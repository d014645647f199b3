// The backend over a stand-in for deepagents' BaseSandbox.
import { createDeepAgentsSandbox, type DeepAgentsBackend } from '@sbx/adapters/deepagents';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();

/** As the framework's: tools over the three calls. */
abstract class BaseSandbox {
  abstract execute(command: string): Promise<{ output: string; exitCode: number }>;
  abstract uploadFiles(files: [string, Uint8Array][]): Promise<{ error: string | null }[]>;
  abstract downloadFiles(paths: string[]): Promise<{ content: Uint8Array | null; error: string | null }[]>;

  async write(path: string, text: string): Promise<string> {
    const [response] = await this.uploadFiles([[path, Buffer.from(text)]]);
    return response!.error ?? 'written';
  }

  async read(path: string): Promise<string> {
    const [response] = await this.downloadFiles([path]);
    return Buffer.from(response!.content ?? []).toString();
  }
}

const create = (limits = {}) => createDeepAgentsSandbox(BaseSandbox, { engine: sbx.engine, limits });
const toolsOf = (backend: BaseSandbox & DeepAgentsBackend): Tools => ({
  write: (path, text) => backend.write(path, text),
  read: (path) => backend.read(path),
  run: (line) => backend.execute(line),
});

describe('the deepagents backend', () => {
  it('is a BaseSandbox with an id', async () => {
    await using backend = await create();
    expect(backend).toBeInstanceOf(BaseSandbox);
    expect(backend.id).toMatch(/^sbx-/);
    expect(backend.isRunning).toBe(true);
    await backend.close();
    expect(backend.isRunning).toBe(false);
  });

  it.each([undefined, { limits: {} }, null])('needs the class: %j', async (base) => {
    await expect(createDeepAgentsSandbox(base as unknown as typeof BaseSandbox)).rejects.toThrow(
      /^base must be the class BaseSandbox of deepagents; got .* Call createDeepAgentsSandbox\(BaseSandbox, options\)\.$/,
    );
  });

  it('leaves no sandbox where the class cannot be constructed', async () => {
    class Unable extends BaseSandbox {
      constructor() {
        super();
        throw new Error('not today');
      }
      override execute = () => Promise.reject();
      override uploadFiles = () => Promise.reject();
      override downloadFiles = () => Promise.reject();
    }
    await expect(createDeepAgentsSandbox(Unable, { engine: sbx.engine })).rejects.toThrow('not today');
    expect(sbx.engine.counters().sandboxes).toBe(0);
  });

  it('does not run any more once its lifetime is over', async () => {
    await using backend = await createDeepAgentsSandbox(BaseSandbox, { engine: sbx.engine, lifetimeMs: 50 });
    await expect.poll(() => backend.isRunning).toBe(false);
    await expect(backend.execute('true')).rejects.toThrow('its lifetimeMs of 50 are over');
  });

  it('executes with both outputs in order, exit codes and truncation', async () => {
    await using backend = await create({ wallTimeMs: 500 });
    expect(await backend.execute('echo a; echo b >&2; echo c; exit 3')).toEqual({
      output: 'a\nb\nc\n',
      exitCode: 3,
      truncated: false,
    });
    expect(await backend.execute('head -c 2000000 /dev/zero')).toMatchObject({
      exitCode: 0,
      truncated: true,
    });
    expect(await backend.execute('sleep 10')).toEqual({
      output: 'sbx: ended: it took longer than its limit (wall-limit)\n',
      exitCode: 124,
      truncated: false,
    });
  });

  it('tells the error of each file', async () => {
    await using backend = await create();
    await backend.execute('mkdir /w/d; ln -s /etc/passwd /w/out; echo x > /w/f');
    const wrong = ['/w/missing', '/w/d', '/w/out', '/etc/passwd', 'w/f', '/w/f/g', '/w/../etc/passwd'];
    expect((await backend.downloadFiles(wrong)).map(({ error }) => error)).toEqual([
      'file_not_found',
      'is_directory',
      'permission_denied',
      'permission_denied',
      'invalid_path',
      'invalid_path',
      'invalid_path',
    ]);
    const files = ['/w/d', '/usr/x', 'x', '/w/new/deep'].map((path): [string, Uint8Array] => [
      path,
      Buffer.from('x'),
    ]);
    expect((await backend.uploadFiles(files)).map(({ error }) => error)).toEqual([
      'is_directory',
      'permission_denied',
      'invalid_path',
      null,
    ]);
    expect(await backend.downloadFiles(['/w/f'])).toEqual([
      { path: '/w/f', content: new Uint8Array(Buffer.from('x\n')), error: null },
    ]);
  });

  it('what is no matter of a file is thrown', async () => {
    const backend = await create();
    await backend.close();
    await expect(backend.uploadFiles([['/w/f', new Uint8Array()]])).rejects.toMatchObject({
      code: 'SBX_CLOSED',
    });
    await expect(backend.execute('true')).rejects.toMatchObject({ code: 'SBX_CLOSED' });
  });

  it('refuses an engine beside its settings', async () => {
    const options = { engine: sbx.engine, engineOptions: {} };
    await expect(createDeepAgentsSandbox(BaseSandbox, options)).rejects.toMatchObject({
      field: 'options.engineOptions',
    });
  });

  it('carries an agent that works', async () => {
    await using backend = await create();
    expect(await workingAgent(toolsOf(backend))).toBe('3');
  });

  it('survives an agent that is hostile', { timeout: 60_000 }, async () => {
    await using backend = await create(HOSTILE_LIMITS);
    await hostileAgent(toolsOf(backend));
  });
});
