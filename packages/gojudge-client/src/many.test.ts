import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { RunCommand } from './command.js';
import { GojudgeClient } from './node.js';

/** What the server was asked for, by the name of each run: its first argument. */
interface Seen {
  begun: string[];
  cancelled: string[];
  deleted: string[];
}

let server: ReturnType<typeof createServer> | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/**
 * Answers by the run's name: `hangs` never, `fails…` that it is not accepted, `broken` that it cannot; all
 * others leave a file of their name.
 */
async function judge(): Promise<{ client: GojudgeClient; seen: Seen }> {
  const seen: Seen = { begun: [], cancelled: [], deleted: [] };
  server = createServer(async (request, response) => {
    if (request.method === 'DELETE') {
      seen.deleted.push(request.url!.slice('/file/'.length));
      response.end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [name] = JSON.parse(Buffer.concat(chunks).toString()).cmd[0].args;
    seen.begun.push(name);
    response.once('close', () => response.writableFinished || seen.cancelled.push(name));
    if (name === 'broken') setTimeout(() => response.writeHead(500).end('"broken"'), 100);
    else if (name !== 'hangs') response.end(answerOf(name));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: new GojudgeClient({ url }), seen };
}

function answerOf(name: string): string {
  const status = name.startsWith('fails') ? 'Nonzero Exit Status' : 'Accepted';
  return JSON.stringify([
    { status, exitStatus: 0, time: 0, memory: 0, runTime: 0, files: { stdout: name }, fileIds: { f: name } },
  ]);
}

const runsOf = (...names: string[]): RunCommand[] => names.map((name) => ({ args: [name] }));

it('a loop has the outcomes in the order of the commands', async () => {
  const { client, seen } = await judge();
  const names: string[] = [];
  for await (const { stdout } of client.runMany(runsOf('a', 'fails', 'b'), { concurrency: 2 }))
    names.push(stdout);
  expect(names).toEqual(['a', 'fails', 'b']);
  expect(seen.deleted).toEqual([]);
});

it('leaving the loop cancels what runs, begins no more and deletes what nobody will have', async () => {
  const { client, seen } = await judge();
  const runs = runsOf('a', 'fails', 'c', 'hangs', 'hangs', 'hangs', 'never');
  let lastName = '';
  for await (const { stdout, ok } of client.runMany(runs, { concurrency: 3 })) {
    lastName = stdout;
    while (!ok && seen.begun.length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
    if (!ok) break;
  }
  expect(lastName).toBe('fails');
  await expect.poll(() => seen.cancelled).toEqual(['hangs', 'hangs', 'hangs']);
  expect(seen.begun).not.toContain('never');
  expect(seen.deleted).toEqual(['c']);
});

it('a run that cannot be carried out ends the loop in its turn', async () => {
  const { client, seen } = await judge();
  const names: string[] = [];
  const loop = async () => {
    for await (const { stdout } of client.runMany(runsOf('a', 'b', 'broken', 'c'))) names.push(stdout);
  };
  await expect(loop()).rejects.toThrow('broken');
  expect(names).toEqual(['a', 'b']);
  expect(seen.deleted).toEqual(['c']);
});

it('an abort ends the loop with its reason', async () => {
  const { client, seen } = await judge();
  const controller = new AbortController();
  const names: string[] = [];
  const loop = async () => {
    for await (const { stdout } of client.runMany(runsOf('a', 'hangs'), { signal: controller.signal })) {
      names.push(stdout);
      controller.abort(new Error('enough'));
    }
  };
  await expect(loop()).rejects.toThrow('enough');
  expect([names, seen.deleted]).toEqual([['a'], []]);
});

it('what is refused is refused in a loop as well, and there is one loop', async () => {
  const { client } = await judge();
  const loop = async (commands: RunCommand[]) => {
    for await (const _ of client.runMany(commands));
  };
  await expect(loop(5 as never)).rejects.toThrow('commands must be a list');
  await expect(loop([{ args: 'x' as never }])).rejects.toThrow('commands[0].args must be a list');
  const runs = client.runMany(runsOf('a'));
  for await (const { stdout } of runs) expect(stdout).toBe('a');
  expect(() => runs[Symbol.asyncIterator]()).toThrow('can be looped over once');
  expect((await runs).map(({ stdout }) => stdout)).toEqual(['a']);
});

it('the reason of a server that is not there is in the message', async () => {
  const { client } = await judge();
  server!.close();
  const refused = {
    code: 'GOJUDGE_CONNECTION',
    message: expect.stringMatching(/^No answer from .* \(ECONNREFUSED\)\.$/),
  };
  for (const call of [() => client.version(), () => client.connect()])
    await expect(call()).rejects.toMatchObject(refused);
});

it('has no warning of a leak, however many wait for their place', async () => {
  const { client } = await judge();
  const warnings: Error[] = [];
  const take = (warning: Error) => void warnings.push(warning);
  process.on('warning', take);
  const { signal } = new AbortController();
  const commands = Array.from({ length: 40 }, (_, index) => ({ args: [`run${index}`] }));
  expect(await client.runMany(commands, { concurrency: 2, signal })).toHaveLength(40);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', take);
  expect(warnings).toEqual([]);
});
