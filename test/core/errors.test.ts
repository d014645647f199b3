/**
 * The bad-input row of the issue: each mistake is a typed error with a stable code, thrown before anything
 * starts, and the engine works as before.
 */
import { Engine, type EngineOptions, isSbxError, type OneShotOptions, type SandboxOptions } from '@sbx/core';
import { afterEach, describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { settledFootprint, takeFootprint } from '../helpers/leaks.js';

const sbx = useEngine();

afterEach(async () => {
  expect((await sbx.engine.run(t('true'))).status).toBe('ok');
});

async function failure(work: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const started = sbx.engine.counters().startedTotal;
  const error = await work().then(
    (value) => Promise.reject(new Error(`resolved with ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  );
  expect(isSbxError(error), String(error)).toBe(true);
  expect(sbx.engine.counters().startedTotal).toBe(started);
  return error as Record<string, unknown>;
}

const loose = (value: unknown) => value as OneShotOptions;

/** [title, options, field, rule]: what `Engine.run` refuses. */
const badOptions: [string, OneShotOptions, string, string][] = [
  ['an unknown option', loose({ timeout: 5 }), 'options.timeout', 'unknown-key'],
  ['a limit misspelt', loose({ limits: { cpuTimeMS: 5 } }), 'options.limits.cpuTimeMS', 'unknown-key'],
  ['a limit beside limits', loose({ wallTimeMs: 5 }), 'options.wallTimeMs', 'unknown-key'],
  ['a limit as text', loose({ limits: { cpuTimeMs: '5' } }), 'options.limits.cpuTimeMs', 'type'],
  ['a limit NaN', { limits: { cpuTimeMs: Number.NaN } }, 'options.limits.cpuTimeMs', 'range'],
  [
    'a limit infinite',
    { limits: { wallTimeMs: Number.POSITIVE_INFINITY } },
    'options.limits.wallTimeMs',
    'range',
  ],
  ['a limit 0', { limits: { cpuTimeMs: 0 } }, 'options.limits.cpuTimeMs', 'range'],
  ['a limit negative', { limits: { memoryBytes: -1 } }, 'options.limits.memoryBytes', 'range'],
  ['a limit 2^64', { limits: { memoryBytes: 2 ** 64 } }, 'options.limits.memoryBytes', 'range'],
  ['half a process', { limits: { processCount: 1.5 } }, 'options.limits.processCount', 'range'],
  [
    'memory that is too small for any program',
    { limits: { memoryBytes: 1000 } },
    'options.limits.memoryBytes',
    'range',
  ],
  ['a CPU set of letters', { limits: { cpuSet: 'a' } }, 'options.limits.cpuSet', 'format'],
  ['an empty CPU set', { limits: { cpuSet: '' } }, 'options.limits.cpuSet', 'format'],
  ['a CPU rate of 0', { limits: { cpuRate: 0 } }, 'options.limits.cpuRate', 'range'],
  ['limits null', loose({ limits: null }), 'options.limits', 'type'],
  ['env as text', loose({ env: 'A=1' }), 'options.env', 'type'],
  ['an env value that is a number', loose({ env: { A: 1 } }), 'options.env.A', 'type'],
  ['an env name with =', { env: { 'A=B': '1' } }, 'options.env["A=B"]', 'format'],
  ['an env value with NUL', { env: { A: 'x\0y' } }, 'options.env.A', 'nul'],
  ['an env value of 128 KiB', { env: { A: 'x'.repeat(131_072) } }, 'options.env.A', 'size'],
  ['cwd with NUL', { cwd: 'a\0b' }, 'options.cwd', 'nul'],
  ['half a character in cwd', { cwd: 'a\ud800' }, 'options.cwd', 'format'],
  [
    'stdin of two kinds',
    loose({ stdin: { text: 'x', bytes: new Uint8Array(1) } }),
    'options.stdin',
    'conflict',
  ],
  ['stdin of no kind', loose({ stdin: {} }), 'options.stdin', 'required'],
  ['stdin a word that is none', loose({ stdin: 'inherit' }), 'options.stdin', 'type'],
  ['stdout a word that is none', loose({ stdout: 'inherit' }), 'options.stdout', 'choice'],
  ['a pipe in a run to completion', loose({ stdin: 'pipe' }), 'options.stdin', 'not-here'],
  ['a descriptor past 255', { fds: { 256: { output: 'null' } } }, 'options.fds[256]', 'range'],
  ['descriptor 1 twice', { stdout: 'null', fds: { 1: { output: 'null' } } }, 'options.fds[1]', 'conflict'],
  ['files of a wrong type', loose({ files: { a: 5 } }), 'options.files.a', 'type'],
  ['a file name that leads out', { files: { '../a': 'x' } }, 'options.files["../a"]', 'format'],
  ['copyOut that leads out', { copyOut: ['../out'] }, 'options.copyOut[0]', 'format'],
  ['a signal that is none', loose({ signal: 5 }), 'options.signal', 'type'],
  ['seccomp a word that is none', loose({ seccomp: 'off' }), 'options.seccomp', 'choice'],
  ['network true', loose({ network: true }), 'options.network', 'type'],
  ['a terminal and stdin', loose({ pty: {}, stdin: { text: 'x' } }), 'options.stdin', 'conflict'],
  ['a terminal of less than no columns', { pty: { cols: -1 } }, 'options.pty.cols', 'range'],
];

describe('options of a run', () => {
  it.each(badOptions)('%s', async (_, options, field, rule) => {
    const error = await failure(() => sbx.engine.run(t('true'), [], options));
    expect(error).toMatchObject({
      name: 'InvalidOptionsError',
      code: 'SBX_INVALID_OPTIONS',
      retryable: false,
    });
    expect({ field: error.field, rule: error.rule }).toEqual({ field, rule });
    expect(error.message).toContain(field);
  });

  it('an unknown option names the nearest known one', async () => {
    const error = await failure(() => sbx.engine.run(t('true'), [], loose({ limit: {} })));
    expect(error.message).toContain('limits');
  });

  it('secrets are not repeated', async () => {
    const error = await failure(() => sbx.engine.run(t('true'), [], { env: { KEY: 'hunter2\0' } }));
    expect(JSON.stringify(error) + error.message).not.toContain('hunter2');
  });
});

describe('program and arguments', () => {
  const many = Array<string>(100_000).fill('x'.repeat(100));
  const cases: [string, unknown, unknown, string][] = [
    ['no program', undefined, undefined, 'file'],
    ['an empty name', '', [], 'file'],
    ['a number', 5, [], 'file'],
    ['NUL in the name', '/bin/tr\0ue', [], 'file'],
    ['a shell line', 'ls -l', undefined, 'file'],
    ['a name of 5000 bytes', `/${'x'.repeat(5000)}`, [], 'file'],
    ['arguments as text', '/bin/ls', '-l', 'args'],
    ['options in place of arguments', '/bin/ls', { limits: {} }, 'args'],
    ['an argument that is a number', '/bin/ls', ['a', 5], 'args[1]'],
    ['NUL in an argument', '/bin/ls', ['a\0b'], 'args[0]'],
    ['an argument of 128 KiB', '/bin/ls', ['x'.repeat(131_072)], 'args[0]'],
    ['10 MB of arguments', '/bin/ls', many, 'args'],
  ];
  it.each(cases)('%s', async (_, file, args, field) => {
    const error = await failure(() => sbx.engine.run(file as string, args as string[]));
    expect(error).toMatchObject({ code: 'SBX_INVALID_OPTIONS', field });
  });

  it('arguments and environment just below the bound do run', async () => {
    const args = Array<string>(15).fill('x'.repeat(120_000));
    const result = await sbx.engine.run(t('show-args'), args, { limits: { outputBytes: 4 * 2 ** 20 } });
    expect(result.status).toBe('ok');
  });
});

describe('programs that are not there', () => {
  it('says where it looked, inside which root', async () => {
    const error = await failure(() => sbx.engine.run('/nowhere/prog'));
    expect(error).toMatchObject({
      name: 'ProgramNotFoundError',
      code: 'SBX_PROGRAM_NOT_FOUND',
      file: '/nowhere/prog',
      existsOnHost: false,
    });
  });

  it('says that it exists on the host, but not inside', async () => {
    const error = await failure(() => sbx.engine.run(`${process.cwd()}/package.json`));
    expect(error).toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND', existsOnHost: true });
    expect(error.message).toContain('mount');
  });

  it('lists what it tried along PATH', async () => {
    const env = { PATH: '/usr/bin:/bin' };
    const error = await failure(() => sbx.engine.run('nosuchprogram', [], { env }));
    expect(error).toMatchObject({
      code: 'SBX_PROGRAM_NOT_FOUND',
      tried: ['/usr/bin/nosuchprogram', '/bin/nosuchprogram'],
    });
  });

  const others: [string, string, OneShotOptions, string][] = [
    ['not executable', './f', { files: { f: 'text' } }, 'SBX_PROGRAM_NOT_EXECUTABLE'],
    ['a folder', '/usr', {}, 'SBX_PROGRAM_NOT_EXECUTABLE'],
    [
      'of no known format',
      './f',
      { files: { f: { text: '\x01\x02\x03', executable: true } } },
      'SBX_PROGRAM_NOT_EXECUTABLE',
    ],
    ['a working folder that is missing', '/bin/true', { cwd: '/nowhere' }, 'SBX_BAD_CWD'],
    ['a working folder that is a file', '/bin/true', { cwd: '/etc/passwd' }, 'SBX_BAD_CWD'],
  ];
  it.each(others)('%s', async (_, file, options, code) => {
    expect(await failure(() => sbx.engine.run(file, [], options))).toMatchObject({ code });
  });

  it('a working folder of the host is told as such', async () => {
    const run = (cwd: string) => failure(() => sbx.engine.run('/bin/true', [], { cwd }));
    expect((await run(process.cwd())).message).toContain('The host has it, which sandboxes do not see');
    const missing = await run('/nowhere');
    expect(missing.message).toBe('The working folder "/nowhere" does not exist inside the sandbox.');
    expect(missing).toMatchObject({ stage: 'workingFolder', errnoName: 'ENOENT' });
  });

  it('a program that own mounts leave out is told what else they are to have', async () => {
    await withEngine({ mounts: [{ kind: 'dir', target: '/empty' }] }, async (engine) => {
      await expect(engine.run('/bin/true')).rejects.toThrow(/mounts one, beside those of DEFAULT_MOUNTS/);
    });
  });

  it('in a session the sandbox goes on', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await expect(sandbox.run('/nowhere')).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
    await expect(sandbox.spawn('/nowhere')).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });
});

describe('sandboxes', () => {
  const cases: [string, unknown, string][] = [
    ['an unknown option', { limit: {} }, 'options.limit'],
    ['a program’s option', { stdin: 'empty' }, 'options.stdin'],
    ['a bad limit', { limits: { diskBytes: 1 } }, 'options.limits.diskBytes'],
  ];
  it.each(cases)('%s', async (_, options, field) => {
    const error = await failure(() => sbx.engine.createSandbox(options as SandboxOptions));
    expect(error).toMatchObject({ code: 'SBX_INVALID_OPTIONS', field });
  });

  it('a disk limit for a program of a standing sandbox', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const run = sandbox.run(t('true'), [], { limits: { diskBytes: 2 ** 20 } });
    await expect(run).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', rule: 'not-here' });
  });

  it('above the ceilings of the engine, by a number or by null', async () => {
    await withEngine({ ceilings: { cpuTimeMs: 1000, memoryBytes: 2 ** 26 } }, async (engine) => {
      for (const limits of [{ cpuTimeMs: 1001 }, { cpuTimeMs: null }, { memoryBytes: 2 ** 27 }]) {
        const run = engine.run(t('true'), [], { limits });
        await expect(run).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', rule: 'ceiling' });
      }
      expect((await engine.run(t('true'), [], { limits: { cpuTimeMs: 1000 } })).status).toBe('ok');
    });
  });
});

describe('engines', () => {
  const cases: [string, unknown, string, string][] = [
    ['an unknown option', { paralellism: 2 }, 'SBX_INVALID_OPTIONS', 'options.paralellism'],
    ['no parallelism', { parallelism: 0 }, 'SBX_INVALID_OPTIONS', 'options.parallelism'],
    ['a feature that is none', { require: ['magic'] }, 'SBX_INVALID_OPTIONS', 'options.require[0]'],
    ['a mount of no kind', { mounts: [{ source: '/usr' }] }, 'SBX_INVALID_OPTIONS', 'options.mounts[0].kind'],
    [
      'a relative mount',
      { mounts: [{ kind: 'bind', source: 'usr' }] },
      'SBX_INVALID_OPTIONS',
      'options.mounts[0].source',
    ],
    ['a host name with spaces', { hostname: 'a b' }, 'SBX_INVALID_OPTIONS', 'options.hostname'],
    ['a work folder at the root', { workDir: '/' }, 'SBX_INVALID_OPTIONS', 'options.workDir'],
  ];
  it.each(cases)('%s', async (_, options, code, field) => {
    const before = await settledFootprint();
    const error = await failure(() => Engine.open(options as EngineOptions));
    expect(error).toMatchObject({ code, field });
    expect(takeFootprint()).toEqual(before);
  });

  it('a mount whose source is missing says which', async () => {
    const before = await settledFootprint();
    const mounts = [{ kind: 'bind', source: '/nowhere/at/all', target: '/x' }] as const;
    const error = await Engine.open({ mounts }).catch((error: unknown) => error);
    expect(isSbxError(error)).toBe(true);
    expect(String(error)).toContain('/nowhere/at/all');
    await expect.poll(() => takeFootprint().children.size).toBe(before.children.size);
    expect(takeFootprint().descriptors.size).toBe(before.descriptors.size);
  });

  it('without cgroups the guarantees that need them are an error by default, and a list in results when allowed', async () => {
    const error = await failure(() => Engine.open({ cgroup: 'none' }));
    expect(error).toMatchObject({ code: 'SBX_REQUIRED_FEATURE_MISSING', name: 'UnsupportedError' });
    // What commands say in place of the message, which ends with an option of Engine.open.
    const { problem, fix } = error.details as { problem: string; fix: string };
    expect(error.message).toContain(`${problem} ${fix} Or accept less: Engine.open(`);
    await withEngine({ cgroup: 'none', require: [] }, async (engine) => {
      const result = await engine.run(t('true'));
      expect(result.status).toBe('ok');
      expect(result.degraded.map((row) => row.feature)).toEqual(expect.arrayContaining(['memory-limit']));
      expect(engine.info().cgroup).toMatchObject({ version: 'none', path: null });
    });
  });

  it('a cgroup that is not there is an error that says so', async () => {
    const error = await failure(() => Engine.open({ cgroup: '/sys/fs/cgroup/nowhere/at/all' }));
    expect(error.message).toContain('/nowhere');
  });
});
