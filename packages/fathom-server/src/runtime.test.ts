// Which languages are on offer, and what an `execute` becomes, with no engine behind it.
import type { Runner } from '@sbx/core';
import type { ExecuteMessage } from '@sbx/fathom-client/wire';
import type { LanguageDefinition } from '@sbx/languages';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { type FathomServerOptions, parseOptions } from './options.js';

interface Made {
  registry: { languages: readonly LanguageDefinition[] };
  standby: Record<string, number>;
  limits: object;
  network: string | undefined;
}
const spawn = vi.fn(async (_request: object) => ({}));
const createRuntimes = vi.fn((_made: Made) => ({ spawn }));
let missing: string[] = [];
vi.resetModules();
vi.doMock('@sbx/languages', async (original) => ({
  ...(await original<object>()),
  createRuntimes,
  createRegistry: ({ languages }: { languages: readonly LanguageDefinition[] }) => ({
    languages,
    probe: async () =>
      languages.map(({ name }) => {
        const available = !missing.includes(name);
        return { name, title: name, available, reason: available ? null : `install ${name}.` };
      }),
  }),
}));
const { Runtime } = await import('./runtime.js');
afterAll(() => void vi.resetModules());

beforeEach(() => {
  missing = [];
  vi.clearAllMocks();
});

const open = (options: FathomServerOptions = {}) => Runtime.open({} as Runner, parseOptions(options));
const made = () => createRuntimes.mock.lastCall![0];

it('what is not installed is not on offer, nor kept waiting, and the logger is told why', async () => {
  missing = ['python'];
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const runtime = await open({
    languages: ['python', 'javascript'],
    standby: { python: 1, javascript: 2 },
    logger: logger as never,
  });
  expect(runtime.names).toEqual(['javascript']);
  expect(made().standby).toEqual({ javascript: 2 });
  expect(logger.warn.mock.calls).toEqual([
    [{ language: 'python', reason: 'install python.' }, 'python is not on offer: install python.'],
  ]);
});

it('a server that could run nothing is not opened, and says what to install', async () => {
  missing = ['python'];
  await expect(open({ languages: ['python'], standby: {} })).rejects.toMatchObject({
    code: 'SBX_INVALID_OPTIONS',
    field: 'options.languages',
    message: expect.stringContaining('python: install python.'),
  });
  expect(createRuntimes).not.toHaveBeenCalled();
});

it.each([
  ['an alias', 'py', 'not an alias: python'],
  ['a slip', 'pyton', 'must be a known language; got "pyton". Did you mean python?'],
  ['a language with a compile step', 'c', 'must be a language without a compile step'],
])('%s is refused by its place in the list', async (_, name, message) => {
  await expect(open({ languages: ['shell', name], standby: {} })).rejects.toMatchObject({
    field: 'options.languages[1]',
    message: expect.stringContaining(message),
  });
});

it('shell is bash where there is one; Python holds no output back', async () => {
  const languages = ['shell', 'python'];
  await open({ languages, standby: {} });
  const [shell, python] = made().registry.languages;
  expect(shell!.run.file).toMatch(/bash/);
  expect(python!.env).toMatchObject({ PYTHONUNBUFFERED: '1' });
  missing = ['bash'];
  await open({ languages, standby: {} });
  expect(made().registry.languages[0]!.run.file).not.toMatch(/bash/);
});

const execute = (more: object = {}, limits: object = {}) =>
  ({
    ...{ language: 'python', code: '1', ...more },
    limits: { timeout_ms: 1500, memory_mb: 64, ...limits },
  }) as unknown as ExecuteMessage;

it('an execution has the limits of its message, wall time in the place of CPU time', async () => {
  const runtime = await open({ languages: ['python'], standby: {} });
  await runtime.start(execute());
  expect(spawn.mock.lastCall![0]).toMatchObject({
    stdin: 'empty',
    env: {},
    network: undefined,
    limits: { cpuTimeMs: null, wallTimeMs: 1500, memoryBytes: 64 * 2 ** 20, cpuWeight: null },
  });
  await runtime.start(execute({ stdin: 'in', env: { A: 'b' } }));
  expect(spawn.mock.lastCall![0]).toMatchObject({ stdin: { text: 'in' }, env: { A: 'b' } });
});

it.each([
  [512, null],
  [1024, 200],
  [1, 1],
  [1_000_000, 10_000],
])('%i shares are the weight %j', async (cpu_shares, cpuWeight) => {
  const runtime = await open({ languages: ['python'], standby: {} });
  await runtime.start(execute({}, { cpu_shares }));
  expect(spawn.mock.lastCall![0]).toMatchObject({ limits: { cpuWeight } });
});

it('programs have the loopback network where the server gives it', async () => {
  const runtime = await open({ languages: ['python'], standby: {}, network: 'loopback' });
  await runtime.start(execute());
  expect([made().network, spawn.mock.lastCall![0]]).toEqual([
    'loopback',
    expect.objectContaining({ network: 'loopback' }),
  ]);
});
