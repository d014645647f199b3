// The client against our server.
import { GojudgeClient } from '@sbx/gojudge-client';
import { expect, test } from 'vitest';
import { useServer } from './server.js';

const server = useServer({ token: 'secret', queueLength: 1, parallelism: 1 });

function makeClient(token = 'secret', retries = 0): GojudgeClient {
  return new GojudgeClient({ url: server.url, token, retries });
}

test('runs a program, with units of people', async () => {
  const outcome = await makeClient().run({
    args: ['/bin/sh', '-c', 'read x; echo got $x; echo err >&2; exit 3'],
    stdin: { content: 'it\n' },
    limits: { cpuTimeMs: 500, processCount: 5 },
  });
  expect([outcome.status, outcome.exitStatus, outcome.stdout, outcome.stderr]).toEqual([
    'Nonzero Exit Status',
    3,
    'got it\n',
    'err\n',
  ]);
  expect(outcome.figures.wallTimeMs).toBeLessThan(1500);
});

test('stored files go with their scope', async () => {
  const client = makeClient();
  {
    await using source = await client.upload('content', 'a.txt');
    await using outcome = await client.run({
      args: ['/bin/cp', 'in', 'out'],
      copyIn: { in: source },
      copyOutCached: ['out'],
    });
    expect(await outcome.stored.out!.text()).toBe('content');
    expect(Object.keys(await client.list()).length).toBe(2);
  }
  expect(await client.list()).toEqual({});
});

test('a compiled program outlives its compilation', async () => {
  const client = makeClient();
  const compile = async () => {
    const args = ['/bin/sh', '-c', 'printf "#!/bin/sh\\necho built" > a.out; echo log > log'];
    await using outcome = await client.run({ args, copyOutCached: ['a.out', 'log', 'none?'] });
    expect(Object.keys(outcome.stored)).toEqual(['a.out', 'log']);
    const refused = { code: 'GOJUDGE_REQUEST', message: expect.stringContaining('name it in copyOutCached') };
    expect(() => outcome.take('none')).toThrow(expect.objectContaining(refused));
    return outcome.take('a.out');
  };
  {
    await using program = await compile();
    expect(Object.keys(await client.list())).toEqual([program.fileId]);
    const outcome = await client.run({ args: ['./a.out'], copyIn: { 'a.out': program } });
    expect(outcome.stdout).toBe('built\n');
    expect([await program.delete(), await program.delete(), await client.delete(program.fileId)]).toEqual([
      true,
      true,
      false,
    ]);
  }
  expect(await client.list()).toEqual({});
});

test('uploads and downloads in pieces, and every kind of whole', async () => {
  const client = makeClient();
  async function* pieces() {
    for (let count = 0; count < 64; count += 1) yield new Uint8Array(65_536).fill(count);
  }
  await using file = await client.upload(pieces(), 'big');
  let bytes = 0;
  for await (const chunk of await file.stream()) bytes += chunk.byteLength;
  expect(bytes).toBe(64 * 65_536);
  for (const content of ['ż', new TextEncoder().encode('ż'), new Blob(['ż']), new Blob(['ż']).stream()]) {
    await using one = await client.upload(content, 'na"me\\ ż.txt');
    expect([await one.text(), (await client.list())[one.fileId]]).toEqual(['ż', 'na"me\\ ż.txt']);
  }
});

test('a pipe takes the place of what a command has there by default', async () => {
  const pipes = [{ in: { index: 0, fd: 1 }, out: { index: 1, fd: 0 } }];
  const commands = [{ args: ['/bin/echo', 'piped'] }, { args: ['/bin/cat'] }];
  const outcomes = await makeClient().runGroup({ commands, pipes });
  expect(outcomes.map(({ status }) => status)).toEqual(['Accepted', 'Accepted']);
  expect(outcomes[1]!.stdout).toBe('piped\n');
});

test('errors have codes', async () => {
  await expect(makeClient('wrong').list()).rejects.toMatchObject({
    code: 'GOJUDGE_UNAUTHORIZED',
    status: 401,
  });
  await expect(makeClient().download('NOSUCHID')).rejects.toMatchObject({ code: 'GOJUDGE_NOT_FOUND' });
  const missing = { args: ['/bin/true'], copyIn: { a: { fileId: 'NO' } } };
  await expect(makeClient().run(missing)).rejects.toMatchObject({ code: 'GOJUDGE_RUN', status: 500 });
  await expect(makeClient().runGroup({ commands: [] })).rejects.toMatchObject({ code: 'GOJUDGE_REQUEST' });
  expect(await makeClient().delete('NOSUCHID')).toBe(false);
});

test('an overloaded server is an error that may be tried again', async () => {
  const sleep = { args: ['/bin/sleep', '1'], limits: { wallTimeMs: 3000 } };
  const client = makeClient();
  const runs = await Promise.allSettled([client.run(sleep), client.run(sleep), client.run(sleep)]);
  const refused = runs.find((run) => run.status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject({
    code: 'GOJUDGE_OVERLOADED',
    retryable: true,
    retryAfterMs: expect.any(Number),
  });
});

test('many runs', async () => {
  const commands = Array.from({ length: 10 }, (_, index) => ({ args: ['/bin/echo', `${index}`] }));
  const outcomes = await makeClient().runMany(commands, { concurrency: 2 });
  expect(outcomes.map(({ stdout }) => stdout)).toEqual(commands.map((_, index) => `${index}\n`));
});

test('a session: requests by id, abort cancels', async () => {
  await using session = await makeClient().connect();
  const controller = new AbortController();
  const slow = session.run({ args: ['/bin/sleep', '20'], limits: { wallTimeMs: 30_000 } }, controller);
  setTimeout(() => controller.abort(new Error('enough')), 200);
  await expect(slow).rejects.toThrow('enough');
  expect((await session.run({ args: ['/bin/true'] })).ok).toBe(true);
});

test('an interactive run', async () => {
  await using run = await makeClient().interact({
    args: ['/bin/sh', '-c', 'read go; stty size; cat'],
    tty: true,
    limits: { wallTimeMs: 5000, processCount: 5 },
  });
  run.resize(97, 31);
  await run.write('go\n');
  let text = '';
  for await (const { bytes } of run) {
    text += new TextDecoder().decode(bytes);
    if (text.endsWith('31 97\r\n')) await run.endInput();
  }
  expect(text).toBe('go\r\n31 97\r\n');
  expect((await run.result).status).toBe('Accepted');
});

test('an interactive group, cancelled', async () => {
  await using run = await makeClient().interact({
    commands: [{ args: ['/bin/cat'] }, { args: ['/bin/cat'] }],
  });
  await run.write('first');
  await run.write('second', { index: 1 });
  const seen = new Map<string, string>();
  for await (const { index, fd, bytes } of run) {
    seen.set(`${index}/${fd}`, new TextDecoder().decode(bytes));
    if (seen.size === 2) run.cancel();
  }
  expect(Object.fromEntries(seen)).toEqual({ '0/1': 'first', '1/1': 'second' });
  expect((await run.results).map(({ status }) => status)).toEqual(['Signalled', 'Signalled']);
});

test('a token that is wrong is told over sockets too', async () => {
  const unauthorized = { code: 'GOJUDGE_UNAUTHORIZED', status: 401 };
  await expect(makeClient('wrong').connect()).rejects.toMatchObject(unauthorized);
  await expect(makeClient('wrong').interact({ args: ['x'] })).rejects.toMatchObject(unauthorized);
});

test('version and features', async () => {
  expect((await makeClient().version()).buildVersion).toMatch(/^v\d+\.\d+\.\d+$/);
  expect(await makeClient().supports('fixSymlinkEscape')).toBe(true);
  expect((await makeClient().config()).runnerConfig.workDir).toBe('/w');
});
