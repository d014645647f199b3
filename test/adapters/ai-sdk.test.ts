// A sandbox session of the AI SDK.
import { createSandboxSession, type SandboxSession } from '@sbx/adapters/ai-sdk';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();
const create = (limits = {}) => createSandboxSession({ engine: sbx.engine, limits });
const toolsOf = (session: SandboxSession): Tools => ({
  write: (path, content) => session.writeTextFile({ path, content }),
  read: async (path) => (await session.readTextFile({ path })) ?? 'missing',
  async run(command) {
    const { exitCode, stdout, stderr } = await session.run({ command });
    return { exitCode, output: stdout + stderr };
  },
});
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
const streamOf = (text: string) => new Response(text).body as ReadableStream<Uint8Array>;

describe('files of a session', () => {
  it('go in and out as stream, bytes and text', async () => {
    await using session = await create();
    await session.writeFile({ path: 'a/stream', content: streamOf('streamed') });
    await session.writeBinaryFile({ path: 'a/bytes', content: Uint8Array.of(0, 255) });
    await session.writeTextFile({ path: 'a/latin', content: 'ü', encoding: 'latin1' });
    expect(await textOf((await session.readFile({ path: 'a/stream' }))!)).toBe('streamed');
    expect(await session.readBinaryFile({ path: '/w/a/bytes' })).toEqual(new Uint8Array([0, 255]));
    expect(await session.readBinaryFile({ path: 'a/latin' })).toEqual(new Uint8Array([0xfc]));
    expect(await session.readTextFile({ path: 'a/latin', encoding: 'latin1' })).toBe('ü');
  });

  it('can be read by lines, from 1 and past the end', async () => {
    await using session = await create();
    await session.writeTextFile({ path: 'f', content: 'one\r\ntwo\r\nthree' });
    const lines = (startLine?: number, endLine?: number) =>
      session.readTextFile({ path: 'f', ...(startLine && { startLine }), ...(endLine && { endLine }) });
    expect([
      await lines(2, 2),
      await lines(2),
      await lines(undefined, 1),
      await lines(3, 99),
      await lines(9),
    ]).toEqual(['two', 'two\r\nthree', 'one', 'three', '']);
  });

  it('what is missing is null, or false', async () => {
    await using session = await create();
    const path = 'missing/f';
    expect([
      await session.readFile({ path }),
      await session.readBinaryFile({ path }),
      await session.readTextFile({ path }),
      await session.stat({ path }),
      await session.listDirectory({ path }),
      await session.deleteFile({ path }),
    ]).toEqual([null, null, null, null, null, false]);
  });

  it('are told of, listed and deleted', async () => {
    await using session = await create();
    await session.run({ command: 'mkdir d; echo text > d/f; ln -s f d/l; mkfifo d/p' });
    expect(await session.stat({ path: 'd' })).toMatchObject({ type: 'directory' });
    expect(await session.stat({ path: 'd/l' })).toEqual({ type: 'file', size: 5 });
    expect(
      (await session.listDirectory({ path: 'd' }))?.map(({ name, type }) => `${name} ${type}`).toSorted(),
    ).toEqual(['f file', 'l symlink', 'p other']);
    expect([await session.deleteFile({ path: 'd/f' }), await session.deleteFile({ path: 'd/f' })]).toEqual([
      true,
      false,
    ]);
  });

  it('an abort in the middle ends reads and writes', async () => {
    await using session = await create();
    await session.run({ command: 'head -c 50000000 /dev/zero > f' });
    const reason = new Error('enough');
    const aborting = (work: (abortSignal: AbortSignal) => PromiseLike<unknown>) => {
      const controller = new AbortController();
      const done = work(controller.signal);
      controller.abort(reason);
      return done;
    };
    const path = 'f';
    const content = new Uint8Array(50_000_000).fill(1);
    const calls = [
      aborting((abortSignal) => session.readBinaryFile({ path, abortSignal })),
      aborting((abortSignal) => session.readTextFile({ path, abortSignal })),
      aborting((abortSignal) => session.stat({ path, abortSignal })),
      aborting((abortSignal) => session.listDirectory({ path: '.', abortSignal })),
      aborting((abortSignal) => session.writeBinaryFile({ path: 'g', content, abortSignal })),
    ];
    for (const call of calls) await expect(call).rejects.toBe(reason);
    expect((await session.stat({ path: 'g' }))?.size).toBeLessThan(1_000_000);
    const { signal: abortSignal } = new AbortController();
    await session.writeBinaryFile({ path: 'h', content: content.subarray(0, 600_001), abortSignal });
    expect((await session.readBinaryFile({ path: 'h', abortSignal }))?.length).toBe(600_001);
  });

  it('refuses an encoding that it does not know, by name', async () => {
    await using session = await create();
    const encoding = 'shift_jis';
    const refused = { field: 'options.encoding' };
    await expect(session.writeTextFile({ path: 'f', content: '', encoding })).rejects.toMatchObject(refused);
    await expect(session.readTextFile({ path: 'f', encoding })).rejects.toMatchObject(refused);
  });

  it('a command that is none is told by its name', async () => {
    await using session = await create();
    const refused = { code: 'SBX_INVALID_OPTIONS', field: 'command', rule: 'type' };
    await expect(session.run({ cmd: 'ls' } as never)).rejects.toMatchObject(refused);
    await expect(session.spawn({ cmd: 'ls' } as never)).rejects.toMatchObject(refused);
    await expect(session.run({ cmd: 'ls' } as never)).rejects.toThrow(
      'command must be a string, a line of shell; got undefined. "cmd" is not a key of a command. Known keys: command,',
    );
    for (const options of [undefined, 'ls']) {
      await expect(session.run(options as never)).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS' });
    }
  });

  it('an abort ends each call with its reason', async () => {
    await using session = await create();
    const reason = new Error('enough');
    const abortSignal = AbortSignal.abort(reason);
    const options = { path: 'f', abortSignal };
    const calls = [
      session.readFile(options),
      session.readBinaryFile(options),
      session.readTextFile(options),
      session.writeFile({ ...options, content: streamOf('x') }),
      session.writeBinaryFile({ ...options, content: new Uint8Array() }),
      session.writeTextFile({ ...options, content: '' }),
      session.stat(options),
      session.listDirectory(options),
      session.deleteFile(options),
      session.run({ command: 'true', abortSignal }),
      session.spawn({ command: 'true', abortSignal }),
    ];
    for (const call of calls) await expect(call).rejects.toBe(reason);
    const controller = new AbortController();
    const never = session.writeFile({
      path: 'f',
      content: new ReadableStream(),
      abortSignal: controller.signal,
    });
    controller.abort(reason);
    await expect(never).rejects.toBe(reason);
  });
});

describe('commands of a session', () => {
  it('run with folder and variables', async () => {
    await using session = await create();
    const result = await session.run({
      command: 'echo $A; pwd; echo e >&2; exit 3',
      env: { A: 'a' },
      workingDirectory: '/tmp',
    });
    expect(result).toEqual({ exitCode: 3, stdout: 'a\n/tmp\n', stderr: 'e\n' });
  });

  it('spawn with Web streams and stdin', async () => {
    await using session = await create();
    const process = await session.spawn({
      command: 'read line; echo "<$line>"; cat >&2; exit 5',
      stdin: true,
    });
    const writer = process.stdin.getWriter();
    await writer.write(Buffer.from('first\nrest'));
    await writer.close();
    expect([await textOf(process.stdout), await textOf(process.stderr)]).toEqual(['<first>\n', 'rest']);
    expect(await process.wait()).toEqual({ exitCode: 5 });
  });

  it('kill is safe to call twice, and takes all that was started', async () => {
    await using session = await create();
    const process = await session.spawn({ command: 'sleep 100 & sleep 100' });
    expect('stdin' in process).toBe(false);
    await process.kill();
    await process.kill();
    expect((await process.wait()).exitCode).toBe(137);
  });

  it('an abort kills, and wait() rejects with the reason', async () => {
    await using session = await create();
    const controller = new AbortController();
    const reason = new Error('enough');
    const process = await session.spawn({ command: 'sleep 100', abortSignal: controller.signal });
    const run = session.run({ command: 'sleep 100', abortSignal: controller.signal });
    controller.abort(reason);
    await expect(process.wait()).rejects.toBe(reason);
    await expect(run).rejects.toBe(reason);
  });

  it('carry an agent that works', async () => {
    await using session = await create();
    expect(await workingAgent(toolsOf(session))).toBe('3');
    expect(session.description).toContain('no network');
    await using other = await createSandboxSession({ engineOptions: { workDir: '/work' } });
    expect(other.description).toContain('Current working directory: /work');
    expect((await other.run({ command: 'pwd' })).stdout).toBe('/work\n');
  });

  it('survive an agent that is hostile', { timeout: 60_000 }, async () => {
    await using session = await create(HOSTILE_LIMITS);
    await hostileAgent(toolsOf(session));
  });
});
