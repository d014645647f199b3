// How the servers of the command end: by which signal, whoever got it, with whom on the line.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { paced } from '../helpers/pace.js';
import { descendants } from '../helpers/proc.js';
import { eventually, sleep, timed } from '../helpers/wait.js';
import { SBX } from './sbx.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVERS = {
  fathom: ['serve', 'fathom', '--port', '0', '--standby', 'python=1,javascript=1', '--verbose'],
  gojudge: ['serve', 'gojudge', '-http-addr', '127.0.0.1:0'],
} as const;
type Kind = keyof typeof SERVERS;
const KINDS = Object.keys(SERVERS) as Kind[];
/** Nothing runs: no reason to wait for anything. */
const PROMPT_MS = paced(1500);
const EXECUTE = {
  v: 1,
  type: 'execute',
  id: 'a',
  ts: '2026-01-01T00:00:00.000Z',
  language: 'shell',
  code: 'trap "" TERM INT; while :; do echo on and on; done',
  limits: { timeout_ms: 60_000, memory_mb: 64, max_output_bytes: 2 ** 26 },
};
const SLEEP = {
  args: ['/bin/sleep', '60'],
  clockLimit: 60e9,
  cpuLimit: 60e9,
  memoryLimit: 1e8,
  procLimit: 4,
};
const RUN = { requestId: 'a', cmd: [SLEEP] };

const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const { pid } of children.splice(0)) killGroup(pid!);
});

/** Its group: npx may be gone already. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // all of it has ended
  }
}

/** A server that has told its address on stderr. */
async function serve(kind: Kind, command: readonly string[] = [process.execPath, SBX]) {
  const [file, ...args] = [...command, ...SERVERS[kind]];
  const { PATH, HOME } = process.env;
  const child = spawn(file!, args, {
    cwd: ROOT,
    env: { PATH, HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group, as a terminal makes one
  });
  children.push(child);
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  await expect.poll(() => log, { timeout: paced(15_000) }).toMatch(/(ws|http):\/\//);
  return { child, port: Number(/127\.0\.0\.1:(\d+)/.exec(log)![1]) };
}

async function dial(port: number, ...lines: string[]): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (lines.length > 0) socket.write(`${lines.join('\r\n')}\r\nHost: x\r\n\r\n`);
  return socket;
}

async function openSocket(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`).on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

/** Who is on the line, by what it is called. */
const CLIENTS: Record<string, (port: number, kind: Kind) => Promise<unknown>> = {
  nobody: async () => undefined,
  'a connection that says nothing': (port) => dial(port),
  'an idle keep-alive connection': async (port) => once(await dial(port, 'GET /version HTTP/1.1'), 'data'),
  'half a request': (port) => dial(port, 'GET /version HTTP/1.1', 'X-Never-Ends: ').then(() => sleep(50)),
  'an idle WebSocket': openSocket,
};

async function endOf(child: ChildProcess, signal: NodeJS.Signals) {
  const ended = once(child, 'exit');
  child.kill(signal);
  const [code, killedBy] = await ended;
  return { code, killedBy };
}

describe.each(KINDS)('%s ends promptly and well', (kind) => {
  test.each(Object.keys(CLIENTS))('SIGTERM with %s', async (client) => {
    const { child, port } = await serve(kind);
    await CLIENTS[client]!(port, kind);
    const { value, ms } = await timed(() => endOf(child, 'SIGTERM'));
    expect(value).toEqual({ code: 0, killedBy: null });
    expect(ms).toBeLessThan(PROMPT_MS);
  });

  test('SIGINT', async () => {
    const { child } = await serve(kind);
    expect(await endOf(child, 'SIGINT')).toEqual({ code: 0, killedBy: null });
  });

  test('it serves on when nobody reads its log, and then ends as ever', async () => {
    const { child, port } = await serve(kind);
    child.stderr!.destroy();
    child.stdout!.destroy();
    for (let count = 0; count < 3; count += 1) (await openSocket(port)).close();
    await sleep(100);
    expect(child.exitCode).toBeNull();
    expect(await endOf(child, 'SIGTERM')).toEqual({ code: 0, killedBy: null });
  });

  test('nor does a reader that left before it was ready end it', async () => {
    const child = spawn(process.execPath, [SBX, ...SERVERS[kind]], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    children.push(child);
    child.stderr.destroy();
    const isUp = () => descendants(child.pid).some(({ name }) => name === 'sbx-keeper');
    await expect.poll(isUp, { timeout: paced(15_000) }).toBe(true);
    expect(await endOf(child, 'SIGTERM')).toEqual({ code: 0, killedBy: null });
  });

  test('a program that runs is killed after the drain, and at once by a second signal', async () => {
    for (const signals of [1, 2]) {
      const { child, port } = await serve(kind);
      const socket = await openSocket(port);
      socket.send(JSON.stringify(kind === 'fathom' ? EXECUTE : RUN));
      const isRunning = () =>
        descendants(child.pid).some(({ name }) => /^(main\.sh|bash|sh|sleep)$/.test(name));
      await expect.poll(isRunning, { timeout: paced(5000) }).toBe(true);
      socket.pause(); // no close frame comes back
      const before = descendants(child.pid);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await sleep(100);
      if (signals === 2) child.kill('SIGTERM');
      const { value, ms } = await timed(() => ended);
      socket.terminate();
      if (signals === 2) expect(value).not.toEqual([0, null]);
      else expect(value).toEqual([0, null]);
      expect(ms).toBeLessThan(signals === 2 ? paced(500) : paced(6000));
      await expectGone(before.map(({ pid }) => pid));
    }
  });
});

// npm starts a command in a shell and passes signals on to the shell alone.
describe.each(KINDS)('%s behind npx', (kind) => {
  const WAYS: Record<string, (npx: number, shell: number) => void> = {
    'SIGTERM to npx': (npx) => process.kill(npx, 'SIGTERM'),
    'SIGKILL to the shell between': (_, shell) => process.kill(shell, 'SIGKILL'),
    'SIGINT to all, as a terminal does': (npx) => process.kill(-npx, 'SIGINT'),
  };
  test.each(Object.keys(WAYS))('%s ends it', async (way) => {
    const { child } = await serve(kind, ['npx', '--no', 'sbx']);
    const below = descendants(child.pid);
    expect(below.map(({ name }) => name)).toContain('sbx-zygote');
    WAYS[way]!(child.pid!, below.find(({ parent }) => parent === child.pid)!.pid);
    await expectGone(below.map(({ pid }) => pid));
  });
});

async function expectGone(pids: readonly number[]): Promise<void> {
  const isAlive = (pid: number) => descendants(1).some((row) => row.pid === pid && row.state !== 'Z');
  await eventually(paced(3000), () => pids.filter(isAlive).map((pid) => `process ${pid} is alive`));
}
