// Managed programs, and clients of every kind that talk to them. No client may hang: each is cut off after
// ten seconds.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine, Process, ProgramOptions, Sandbox, SandboxOptions } from '@sbx/core';
import { FifoClient } from '@sbx/fifo-client';
import { FifoManager, type FifoOptions } from '@sbx/fifo-protocol/server';
import { buildPrograms } from '../programs/build.mjs';

const CUT_OFF_SECONDS = '10';

/** Never the synchronous form: the manager is in this process. */
export async function execute(
  file: string,
  args: readonly string[],
  options: { cwd?: string; uid?: number; gid?: number } = {},
): Promise<string> {
  // timeout(1) takes the children of a shell along, which would keep its output open.
  const command = ['-s', 'KILL', CUT_OFF_SECONDS, file, ...args];
  const { stdout } = await promisify(execFile)('timeout', command, options);
  return stdout;
}

/** A line of shell in the directory of the pipes. */
export const shell = (dir: string, script: string, user: { uid?: number; gid?: number } = {}) =>
  execute('sh', ['-c', script], { cwd: dir, ...user });

/** One text mode open, one write without a line feed, one read: as the clients of 2018 did it. */
const PYTHON = `
import sys
with open("wait", "w") as pipe: pipe.write(sys.argv[1])
with open("status") as pipe: sys.stdout.write(pipe.read())
`;

export interface TestClient {
  name: string;
  /** The reply's lines. */
  ask(dir: string, byte: '0' | '1'): Promise<string[]>;
}

const linesOf = (reply: string) => reply.split('\n').slice(0, -1);

export const CLIENTS: readonly TestClient[] = [
  { name: 'shell', ask: async (dir, byte) => linesOf(await shell(dir, `printf ${byte} > wait; cat status`)) },
  {
    name: 'echo',
    ask: async (dir, byte) => linesOf(await shell(dir, `echo ${byte} > wait; cat status.pipe`)),
  },
  {
    name: 'Python',
    ask: async (dir, byte) => linesOf(await execute('python3', ['-c', PYTHON, byte], { cwd: dir })),
  },
  {
    name: 'C',
    ask: async (dir, byte) => linesOf(await execute(join(buildPrograms(), 'fifo-ask'), [byte, '1', dir])),
  },
  {
    name: '@sbx/fifo-client',
    async ask(dir, byte) {
      const reading = await new FifoClient(dir).wait({ terminate: byte === '0' });
      return [String(reading.cpuTimeUs), String(reading.memoryBytes), reading.status];
    },
  },
];

export interface Managed {
  manager: FifoManager;
  dir: string;
  /** Ours, for the program's input and output. */
  process: Process | null;
  sandbox: Sandbox;
  client: FifoClient;
}

export interface ManagedOptions extends FifoOptions {
  sandbox?: SandboxOptions;
  program?: ProgramOptions;
}

/** Starts a program, hands it to `use`, and makes an end of it. */
export async function managed<T>(
  engine: Engine,
  command: readonly string[],
  use: (managed: Managed) => Promise<T>,
  { sandbox: shape, program, ...options }: ManagedOptions = {},
): Promise<T> {
  const sandbox = await engine.createSandbox(shape);
  const [file = '', ...args] = command;
  let process: Process | null = null;
  const start = async () => {
    process = await sandbox.spawn(file, args, { stdout: 'null', stderr: 'null', ...program });
    return process;
  };
  let manager: FifoManager | null = null;
  try {
    manager = await FifoManager.open(start, options);
    await manager.started;
    return await use({ manager, dir: manager.dir, process, sandbox, client: new FifoClient(manager.dir) });
  } finally {
    await manager?.close();
    await sandbox.close();
  }
}

/** `obey` with its input and output at hand: each command waits for its "ok". */
export async function obeying<T>(
  engine: Engine,
  use: (managed: Managed & { tell: (command: string) => Promise<void> }) => Promise<T>,
  options: ManagedOptions = {},
): Promise<T> {
  const program: ProgramOptions = { stdin: 'pipe', stdout: 'pipe', stderr: 'null' };
  const run = async (it: Managed) => {
    const answers = it.process!.stdout!.lines();
    const tell = async (command: string) => {
      await it.process!.stdin!.write(`${command}\n`);
      if (!/^(exit|raise)/.test(command)) await answers.next();
    };
    return use({ ...it, tell });
  };
  return managed(engine, ['/t/obey'], run, { ...options, program });
}
