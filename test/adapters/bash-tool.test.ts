// The sandbox that bash-tool's `createBashTool` takes.
import { type BashToolSandbox, createBashToolSandbox } from '@sbx/adapters/bash-tool';
import { describe, expect, it } from 'vitest';
import { useEngine } from '../helpers/engine.js';
import { HOSTILE_LIMITS, hostileAgent, type Tools, workingAgent } from './agent.js';

const sbx = useEngine();
const create = (limits = {}) => createBashToolSandbox({ engine: sbx.engine, limits });
const toolsOf = (sandbox: BashToolSandbox): Tools => ({
  write: (path, content) => sandbox.writeFiles([{ path, content }]),
  read: (path) => sandbox.readFile(path),
  async run(line) {
    const { exitCode, stdout, stderr } = await sandbox.executeCommand(line);
    return { exitCode, output: stdout + stderr };
  },
});

describe('the sandbox of bash-tool', () => {
  it('runs bash', async () => {
    await using sandbox = await create();
    expect(await sandbox.executeCommand('[[ a == a ]] && echo yes; echo no >&2; exit 4')).toEqual({
      stdout: 'yes\n',
      stderr: 'no\n',
      exitCode: 4,
    });
  });

  it('says what is cut and which limit ended a command', async () => {
    await using sandbox = await create({ wallTimeMs: 300 });
    const flood = await sandbox.executeCommand('head -c 2000000 /dev/zero');
    expect([flood.stdout.length, flood.stderr]).toEqual([
      2 ** 20,
      'sbx: stdout is cut after 1048576 bytes, 951424 are left out\n',
    ]);
    expect(await sandbox.executeCommand('sleep 5')).toEqual({
      stdout: '',
      stderr: 'sbx: ended: it took longer than its limit (wall-limit)\n',
      exitCode: 124,
    });
  });

  it('reads and writes files; a missing one rejects', async () => {
    await using sandbox = await create();
    await sandbox.writeFiles([
      { path: '/w/a/b.txt', content: 'text ü' },
      { path: 'c.bin', content: Buffer.from([1, 2]) },
    ]);
    expect(await sandbox.readFile('a/b.txt')).toBe('text ü');
    expect((await sandbox.executeCommand('od -An -tx1 c.bin')).stdout).toBe(' 01 02\n');
    await expect(sandbox.readFile('missing')).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('keeps the environment of the options', async () => {
    await using sandbox = await createBashToolSandbox({
      engine: sbx.engine,
      env: ['PATH=/usr/bin:/bin', 'A=b=c'],
    });
    expect((await sandbox.executeCommand('echo $A')).stdout).toBe('b=c\n');
  });

  it('carries an agent that works', async () => {
    await using sandbox = await create();
    expect(await workingAgent(toolsOf(sandbox))).toBe('3');
  });

  it('survives an agent that is hostile', { timeout: 60_000 }, async () => {
    await using sandbox = await create(HOSTILE_LIMITS);
    await hostileAgent(toolsOf(sandbox));
  });
});
