import { describe, expect, test } from 'vitest';
import { checkRequest } from './check.js';
import { GojudgeClient } from './client.js';
import type { RunCommand, RunGroup } from './command.js';
import { toWireRequest } from './request.js';
import { WIRE_NUMBER_MAX } from './units.js';
import type { WireCmd } from './wire/index.js';

const command = (more: Partial<RunCommand> = {}): RunCommand => ({ args: ['x'], ...more });
const end = (index: number, fd: number) => ({ index, fd });
const check = (group: RunGroup, isStream = false) => checkRequest(toWireRequest(group), isStream);

describe('what a server could not read is named before it is sent', () => {
  test.each<[what: string, command: RunCommand, place: string]>([
    [
      'a limit that is no number',
      command({ limits: { cpuTimeMs: Number.NaN } }),
      'commands[0].limits.cpuTimeMs',
    ],
    ['a negative limit', command({ limits: { memoryBytes: -1 } }), 'commands[0].limits.memoryBytes'],
    ['half a process', command({ limits: { processCount: 1.5 } }), 'commands[0].limits.processCount'],
    ['no program', command({ args: [] }), 'commands[0].args'],
    ['an argument that is no text', command({ args: [1 as never] }), 'commands[0].args'],
    [
      'one text instead of a list',
      command({ args: '/bin/true' as never }),
      'commands[0].args must be a list',
    ],
    ['a number as text', command({ limits: { cpuTimeMs: '1000' as never } }), 'commands[0].limits.cpuTimeMs'],
    ['a null limit', command({ limits: { wallTimeMs: null as never } }), 'commands[0].limits.wallTimeMs'],
    ['limits that are a list', command({ limits: [] as never }), 'commands[0].limits must be an object'],
    ['a list as environment', command({ env: ['A=1'] as never }), 'commands[0].env must be an object'],
    ['a number as variable', command({ env: { A: 1 as never } }), 'commands[0].env'],
    ['bounds as text', command({ outputBytes: '1' as never }), 'commands[0].outputBytes'],
    ['one name to copy out', command({ copyOut: 'a' as never }), 'commands[0].copyOut'],
    ['a number as input', command({ stdin: 5 as never }), 'commands[0].stdin'],
    ['a text as flag', command({ tty: 'yes' as never }), 'commands[0].tty'],
    ['files that are no list', command({ files: {} as never }), 'commands[0].files'],
    ['no arguments', {} as never, 'commands[0].args must be a list of strings; got nothing'],
    ['a text as command', '/bin/true' as never, 'commands[0] must be an object of args'],
    ['an unknown kind of file', command({ stdin: {} as never }), 'commands[0].stdin must be a string'],
    ['a collector without max', command({ files: [{ name: 'x' } as never] }), 'commands[0].files[0]'],
    ['a link as descriptor', command({ files: [{ symlink: 'x' } as never] }), 'commands[0].files[0]'],
    [
      'bytes as a file',
      command({ copyIn: { a: Buffer.from('x') as never } }),
      "copyIn['a'] must be a string, { src }, { content }, { fileId } or { symlink } (bytes go by client.upload first); got 1 bytes",
    ],
    [
      'the promise of a stored file',
      command({ copyIn: { a: Promise.resolve() as never } }),
      "commands[0].copyIn['a'] must be a string, { src }, { content }, { fileId } or { symlink } (await the promise first); got a promise",
    ],
    [
      'the form of @sbx/core',
      command({ stdin: { text: 'x' } as never }),
      'commands[0].stdin must be a string',
    ],
    ['bytes as input', command({ stdin: Buffer.from('x') as never }), 'bytes go by client.upload first'],
    ['bytes as content', command({ copyIn: { a: { content: Buffer.from('x') as never } } }), "copyIn['a']"],
    ['a collector in copyIn', command({ copyIn: { a: { name: 'x', max: 1 } as never } }), "copyIn['a']"],
    ['a raw field of another type', command({ wire: { tty: 1 as never } }), 'commands[0].tty'],
    ['a stream outside of interact', command({ files: [{ streamIn: true }] }), 'commands[0].files[0]'],
  ])('%s', (_what, one, place) => {
    const refused = expect.objectContaining({
      code: 'GOJUDGE_REQUEST',
      message: expect.stringContaining(place),
    });
    expect(() => check({ commands: [one] })).toThrow(refused);
  });

  test.each<[what: string, group: object, place: string]>([
    ['a limit', { commands: [command({ limits: { cpuMs: 5 } as never })] }, 'commands[0].limits.cpuMs'],
    [
      'a field of a command',
      { commands: [command(), command({ input: 'x' } as never)] },
      'commands[1].input',
    ],
    ['a field of a group', { commands: [command()], pipe: [] }, 'group.pipe'],
    [
      'a misspelt limit',
      { commands: [command({ limits: { cpuTimems: 5 } as never })] },
      'Did you mean cpuTimeMs?',
    ],
  ])('%s that is not known, by its name', (_what, group, place) => {
    const known = expect.objectContaining({
      code: 'GOJUDGE_REQUEST',
      message: expect.stringMatching(
        / is not known; known are .*\. (Did you mean \w+\? )?Nothing was sent\.$/,
      ),
    });
    expect(() => check(group as RunGroup)).toThrow(known);
    expect(() => check(group as RunGroup)).toThrow(place);
  });

  test.each([
    ['cpuLimit', 'limits.cpuTimeMs'],
    ['procLimit', 'limits.processCount'],
    ['strictMemoryLimit', 'wire: { strictMemoryLimit }'],
    ['cmd', 'runGroup({ commands })'],
  ])('the name of the wire, %s, with what it is called here', (name, meant) => {
    expect(() => check({ commands: [command({ [name]: 1 })] })).toThrow(`Did you mean ${meant}?`);
  });

  test('an option of the client that is not known', () => {
    const options = { url: 'http://localhost:5050', tries: 3 };
    expect(() => new GojudgeClient(options)).toThrow('options.tries is not known; known are url, token');
  });

  test('no programs, and pipes to nowhere', () => {
    expect(() => check({ commands: [] })).toThrow('commands must be not empty');
    const pipes = [{ in: { index: 0, fd: 1 }, out: { index: 0, fd: -1 } }];
    expect(() => check({ commands: [command()], pipes })).toThrow('pipes[0].out.fd');
  });

  test.each<[what: string, pipe: object, message: string]>([
    ['the names of @sbx/core', { from: end(0, 1), to: end(1, 0) }, 'Did you mean in?'],
    ['a missing end', { in: end(0, 1) }, 'pipes[0].out must be { index, fd }'],
    ['numbers for ends', { in: 0, out: 1 }, 'pipes[0].in must be { index, fd }'],
    [
      'a command that is not there',
      { in: end(0, 1), out: end(2, 0) },
      'pipes[0].out.index must be one of the 2',
    ],
  ])('%s in a pipe', (_, pipe, message) => {
    const group = { commands: [command(), command()], pipes: [pipe] };
    expect(() => check(group as RunGroup)).toThrow(message);
  });

  test('streams past what the wire can name', () => {
    const files = Array.from({ length: 17 }, () => ({ streamOut: true }) as const);
    expect(() => check({ commands: [command({ files: files.slice(0, 16) })] }, true)).not.toThrow();
    expect(() => check({ commands: [command({ files })] }, true)).toThrow('commands[0].files[16]');
  });
});

describe('units', () => {
  const wireOf = (more: Partial<RunCommand>): WireCmd => toWireRequest({ commands: [command(more)] }).cmd[0]!;

  test('ms become ns, text becomes content', () => {
    const limits = { cpuTimeMs: 0.5, wallTimeMs: 20, cpuRate: 1.5, stackBytes: 10 };
    expect(wireOf({ limits, stdin: 'in', copyIn: { a: 'text' }, copyOutBytes: 3 })).toEqual({
      args: ['x'],
      env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
      files: [{ content: 'in' }, { name: 'stdout', max: 2 ** 20 }, { name: 'stderr', max: 2 ** 20 }],
      cpuLimit: 500_000,
      clockLimit: 20_000_000,
      memoryLimit: 2 ** 28,
      procLimit: 64,
      stackLimit: 10,
      cpuRateLimit: 1500,
      copyIn: { a: { content: 'text' } },
      copyOutMax: 3,
    });
  });

  test('without limit is the highest that fits', () => {
    const limits = { cpuTimeMs: Infinity, memoryBytes: Infinity, processCount: Infinity };
    const cmd = wireOf({ limits, outputBytes: Infinity });
    expect([cmd.cpuLimit, cmd.clockLimit, cmd.memoryLimit]).toEqual(Array(3).fill(WIRE_NUMBER_MAX));
    expect(cmd.procLimit).toBe(4_194_304);
    expect(() => check({ commands: [command({ limits })] })).not.toThrow();
  });
});

describe('options of calls', () => {
  const client = new GojudgeClient({ url: 'http://127.0.0.1:1', retries: 0 });

  test.each<[string, () => unknown, string]>([
    [
      'an address in the place of options',
      () => new GojudgeClient('http://x:1' as never),
      'options must be an object such as { url: "http://x:1" }',
    ],
    ['no options', () => new GojudgeClient(undefined as never), 'options must be an object of url'],
    [
      'a number as text',
      () => new GojudgeClient({ url: 'http://x:1', retries: '3' as never }),
      'options.retries',
    ],
    [
      'a token that ends a header',
      () => new GojudgeClient({ url: 'http://x:1', token: 'a\r\nb' }),
      'options.token',
    ],
  ])('%s', (_what, make, text) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'GOJUDGE_REQUEST', message: expect.stringContaining(text) }),
    );
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['a text as command', () => client.run('/bin/true' as never), 'commands[0] must be an object'],
    [
      'a time-out, which is a signal',
      () => client.run(command(), { timeout: 5 } as never),
      'options.timeout is not known',
    ],
    [
      'no signal',
      () => client.run(command(), { signal: 5 as never }),
      'options.signal must be an AbortSignal',
    ],
    ['one command', () => client.runMany(command() as never), 'commands must be a list'],
    ['nobody at work', () => client.runMany([command()], { concurrency: 0 }), 'options.concurrency'],
    [
      'not even a number',
      () => client.runMany([command()], { concurrency: Number.NaN }),
      'options.concurrency',
    ],
    [
      'a text to interact with',
      () => client.interact('/bin/sh' as never),
      'command must be an object with args',
    ],
    ['letters to interact with', () => client.interact({ args: '/bin/sh' as never }), 'commands[0].args'],
    [
      'a terminal of nothing',
      () => client.interact(command(), { terminal: { cols: 80 } as never }),
      'options.terminal',
    ],
    [
      'half a column',
      () => client.interact(command(), { terminal: { cols: 0.5, rows: 1 } }),
      'options.terminal.cols',
    ],
    ['a session of text', () => client.connect({ inFlightMax: '9' as never }), 'options.inFlightMax'],
    ['no id', () => client.download(''), 'id must be that of a stored file'],
    [
      'nothing to upload',
      () => client.upload(undefined as never),
      'content must be a string, bytes, a Blob or',
    ],
    [
      'a name that is none',
      () => client.upload('a', 5 as never),
      'name must be a string that is not empty; got 5',
    ],
    [
      'a signal alone',
      () => client.run(command(), AbortSignal.abort() as never),
      'options must be { signal }',
    ],
    ['no options', () => client.interact(command(), null as never), 'options must be an object of'],
    ['a map of variables', () => client.run(command({ env: new Map() as never })), 'got a Map'],
    ['limits to come', () => client.run(command({ limits: Promise.resolve() as never })), 'got a promise'],
    ['a list to upload', () => client.upload([1] as never), 'content must be a string, bytes, a Blob or'],
  ])('%s', async (_what, call, text) => {
    await expect(call()).rejects.toMatchObject({
      code: 'GOJUDGE_REQUEST',
      message: expect.stringContaining(text),
    });
  });
});

test.each(['localhost:5050', 'ws://localhost', '', undefined])('%j is no address of a server', (url) => {
  const refused = expect.objectContaining({
    code: 'GOJUDGE_REQUEST',
    message: expect.stringMatching(/^(options\.)?url must be (an address|a string)/),
  });
  expect(() => new GojudgeClient({ url: url as string })).toThrow(refused);
});
