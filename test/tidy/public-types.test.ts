// The built types, as the strictest project sees them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages } from '@sbx/languages';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from './sources.js';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/**
 * Does something with a program that stands in this checkout, where git and thus the other rules do not see
 * it.
 */
function withProgram<Result>(source: string, work: (file: string) => Result): Result {
  const build = join(root, 'build');
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(join(build, 'types-'));
  try {
    const file = join(folder, 'program.mts');
    writeFileSync(file, source);
    return work(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The compiler's host, with libraries and built types read and parsed once for all programs of this file. */
function makeHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (name, ...rest) => {
    if (!parsed.has(name)) parsed.set(name, host.getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  return { ...host, getSourceFile };
}

const host = makeHost();
const registry = ts.createDocumentRegistry();

/** What the compiler says of it. */
function complaintsOf(source: string, options: ts.CompilerOptions = {}): string[] {
  return withProgram(source, (file) =>
    ts
      .getPreEmitDiagnostics(ts.createProgram([file], { ...OPTIONS, ...options }, host))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  );
}

/** What an editor offers where `|` stands. */
function completionsOf(source: string): string[] {
  return withProgram(source.replace('|', ''), (file) => {
    const service = ts.createLanguageService(
      {
        getCompilationSettings: () => OPTIONS,
        getScriptFileNames: () => [file],
        getScriptVersion: () => '1',
        getScriptSnapshot: (name) =>
          ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name)!) : undefined,
        getCurrentDirectory: () => root,
        getDefaultLibFileName: ts.getDefaultLibFilePath,
        fileExists: ts.sys.fileExists,
        readFile: ts.sys.readFile,
        directoryExists: ts.sys.directoryExists,
        getDirectories: ts.sys.getDirectories,
      },
      registry,
    );
    const { entries = [] } = service.getCompletionsAtPosition(file, source.indexOf('|'), {}) ?? {};
    return entries.map(({ name }) => name);
  });
}

test('streams that were asked for as pipes are there, others may not be', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import { type Engine, Sandbox } from '@sbx/core';
    declare const engine: Engine;
    await using sandbox = await Sandbox.create();
    for (const piped of [
      await sandbox.spawn('cat', [], { stdin: 'pipe', stdout: 'pipe' }),
      await engine.spawn('cat', [], { stdin: 'pipe', stdout: 'pipe' }),
    ]) {
      await piped.stdin.write('x');
      await piped.stdout.text();
      // @ts-expect-error not asked for
      await piped.stderr.text();
    }
    const plain = await Sandbox.spawn('cat');
    // @ts-expect-error not asked for
    await plain.stdin.end();
    // @ts-expect-error no such option
    await sandbox.spawn('cat', [], { stdinn: 'pipe' });
  `);
  expect(complaints).toEqual([]);
});

test('so are those of a terminal, the output unless it is collected', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import { type Engine, type PtyOptions, Sandbox } from '@sbx/core';
    declare const engine: Engine;
    declare const pty: PtyOptions;
    await using sandbox = await Sandbox.create();
    for (const shell of [
      await sandbox.spawn('sh', [], { pty: {} }),
      await engine.spawn('sh', [], { pty: { cols: 80, rows: 24 }, limits: { cpuTimeMs: 1 } }),
    ]) {
      await shell.stdin.write('exit\\n');
      for await (const chunk of shell.stdout) chunk.byteLength;
      // @ts-expect-error a terminal has one output
      await shell.stderr.text();
    }
    for (const collected of [
      await Sandbox.spawn('sh', [], { pty: { capture: { maxBytes: 1 } } }),
      await Sandbox.spawn('sh', [], { pty }),
    ]) {
      await collected.stdin.end();
      // @ts-expect-error in the result, for sure or perhaps
      await collected.stdout.text();
    }
    declare const mayHave: { pty?: PtyOptions };
    const unsure = await Sandbox.spawn('sh', [], mayHave);
    // @ts-expect-error perhaps without a terminal
    await unsure.stdin.end();
  `);
  expect(complaints).toEqual([]);
});

test('so are those of programs of a group, each by its own options', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import { type Engine, type GroupProgram, type Process, type ProcessGroup, Sandbox } from '@sbx/core';
    declare const engine: Engine;
    const pipes = [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 } }];
    const programs = [{ file: 'cat', stdin: 'pipe' }, { file: 'sh', args: ['x'], pty: {} }] as const;
    for (const { processes: [first, second] } of [
      await Sandbox.spawnGroup({ programs, pipes, engine }),
      await engine.spawnGroup({ programs: [{ file: 'cat', stdin: 'pipe' }, { file: 'sh', pty: {} }] }),
    ]) {
      await first.stdin.end('x');
      await second.stdout.text();
      // @ts-expect-error not asked for
      await first.stdout.text();
    }
    const each = await engine.spawnGroup({ programs: [{ file: 'cat', stdin: 'pipe' }, null], settle: 'each' });
    await each.processes[0]?.stdin.end();
    // @ts-expect-error it may not have been started
    await each.processes[0].stdin.end();
    // @ts-expect-error no such option
    await engine.spawnGroup({ programs: [{ file: 'cat', stdinn: 'pipe' }] });
    // @ts-expect-error no such value
    await engine.spawnGroup({ programs: [{ file: 'cat', stdin: 'piped' }] });
    declare const any: GroupProgram[];
    const group: ProcessGroup = await engine.spawnGroup({ programs: any });
    export const processes: readonly Process[] = (await Sandbox.spawnGroup({ programs: any })).processes;
    export const result = (await group.result).results;
  `);
  expect(complaints).toEqual([]);
});

test('programs that waited have three pipes', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import type { Standby } from '@sbx/core';
    import type { Runtimes } from '@sbx/languages';
    declare const standby: Standby;
    declare const runtimes: Runtimes;
    const shell = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
    for (const program of [
      await standby.spawn('shell', { ...shell, code: '' }),
      await standby.prepare('shell', shell).spawn({ code: '' }),
      await runtimes.spawn({ language: 'python', code: '', stdin: 'pipe' }),
    ]) {
      await program.stdin.end('x');
      await program.stdout.text();
      await program.stderr.text();
    }
  `);
  expect(complaints).toEqual([]);
});

test('what can be awaited is a promise', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import type { Engine, RunResult } from '@sbx/core';
    import type { ExecutionResult, FathomClient } from '@sbx/fathom-client';
    declare const engine: Engine;
    declare const client: FathomClient;
    export const results = (): Promise<RunResult[]> => engine.runMany([{ file: 'true' }]);
    export const settled = (): Promise<PromiseSettledResult<RunResult>[]> =>
      engine.runMany([{ file: 'true' }], { settle: 'each' });
    export const result = (): Promise<ExecutionResult> => client.execute({ language: 'python', code: '' });
    for await (const { status } of engine.runMany([{ file: 'true' }])) status.length;
  `);
  expect(complaints).toEqual([]);
});

test('a file takes whatever can be written, and a link is added to none', { timeout: 120_000 }, () => {
  const complaints = complaintsOf(`
    import { Sandbox } from '@sbx/core';
    await using sandbox = await Sandbox.create();
    for (const data of ['x', Buffer.from('x'), { text: 'x' }, { hostFile: '/x' }, process.stdin])
      await sandbox.appendFile('f', data, { mode: undefined });
    // @ts-expect-error a link is none
    await sandbox.appendFile('f', { symlink: 'x' });
    await sandbox.copyFile('f', 'g', { mode: 0o755 });
    // @ts-expect-error as node:fs has it
    await sandbox.copyFile('f', 'g', 1);
  `);
  expect(complaints).toEqual([]);
});

test('every WebSocket fits where a client takes one', { timeout: 120_000 }, () => {
  const source = `
    import { FathomClient } from '@sbx/fathom-client';
    import { GojudgeClient } from '@sbx/gojudge-client';
    import { WebSocket as Ws } from 'ws';
    const url = 'http://host';
    for (const openSocket of [(to: string) => new WebSocket(to), (to: string) => new Ws(to)]) {
      new FathomClient({ url, openSocket });
      const transport = { fetch, canStreamRequests: true, openSocket: async (to: string) => openSocket(to) };
      new GojudgeClient({ url, transport });
    }`;
  const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'];
  expect(complaintsOf(source, { lib })).toEqual([]);
});

/** Types of what callers write, by their names; what servers and results are made of is written by us. */
const OPTION_TYPE = /(Options|Request|Limits|Command|Definition|Step)$/;
const ENTRIES: Readonly<Record<string, string>> = {
  '@sbx/core': 'core/dist/index.d.ts',
  '@sbx/fathom-client': 'fathom-client/dist/index.d.ts',
  '@sbx/fathom-client/conformance': 'fathom-client/dist/conformance/index.d.ts',
  '@sbx/fathom-server': 'fathom-server/dist/index.d.ts',
  '@sbx/fifo-client': 'fifo-client/dist/index.d.ts',
  '@sbx/fifo-protocol/server': 'fifo-protocol/dist/server/index.d.ts',
  '@sbx/gojudge-client': 'gojudge-client/dist/index.d.ts',
  '@sbx/gojudge-server': 'gojudge-server/dist/index.d.ts',
  '@sbx/languages': 'languages/dist/index.d.ts',
  '@sbx/mcp': 'mcp/dist/index.d.ts',
  '@sbx/server': 'server/dist/index.d.ts',
};

const importsOf = (entries: readonly string[]) =>
  entries.map((entry, at) => `export type * as E${at} from '${entry}';`).join('\n');

test('our own types are whole with those of Node', { timeout: 120_000 }, () => {
  expect(complaintsOf(importsOf(Object.keys(ENTRIES)), { skipLibCheck: false })).toEqual([]);
});

test('those of clients are whole with what their READMEs ask of a browser’s project', {
  timeout: 120_000,
}, () => {
  const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'];
  const options = { skipLibCheck: false, types: [], typeRoots: [], lib };
  expect(complaintsOf(importsOf(['@sbx/fathom-client', '@sbx/gojudge-client']), options)).toEqual([]);
});

/** Names of option types that an entry exports under their own names. */
function optionTypesOf(file: string): string[] {
  const text = readFileSync(join(root, 'packages', file), 'utf8');
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].map(([, list]) => list!);
  const names = lists.flatMap((list) => [...list.matchAll(/\btype (\w+)/g)].map(([, name]) => name!));
  // Generic, of types that are here.
  return names.filter((name) => OPTION_TYPE.test(name) && name !== 'StartOptions');
}

test('undefined is as good as absent for every option', { timeout: 120_000 }, () => {
  const lines = Object.entries(ENTRIES).flatMap(([entry, file], at) => {
    const names = optionTypesOf(file);
    expect(names.length, entry).toBeGreaterThan(0);
    const checks = names.map(
      (name) => `const of${at}${name}: Partial<E${at}.${name}> = undefinedOf<E${at}.${name}>();`,
    );
    return [`import type * as E${at} from '${entry}';`, ...checks];
  });
  const complaints = complaintsOf(`
    type Optional<T> = { [Key in keyof T as {} extends Pick<T, Key> ? Key : never]: undefined };
    declare const undefinedOf: <T>() => Optional<T>;
    ${lines.join('\n')}
  `);
  expect(complaints).toEqual([]);
});

test('all servers have the same names for where they listen and who may connect', {
  timeout: 120_000,
}, () => {
  const complaints = complaintsOf(`
    import type { FathomServerOptions } from '@sbx/fathom-server';
    import type { GojudgeServerOptions } from '@sbx/gojudge-server';
    import type { McpServerOptions } from '@sbx/mcp';
    import type { ServerOptions } from '@sbx/server';
    const shared = { host: '::1', port: 0, token: 't', allowedOrigins: ['http://a.b'] };
    export const all: [FathomServerOptions, GojudgeServerOptions, McpServerOptions, ServerOptions] =
      [{ ...shared, path: '/ws' }, shared, { ...shared, path: '/mcp' }, shared];
  `);
  expect(complaints).toEqual([]);
});

test.each([
  ['gojudge-server', ['httpAddr', 'authToken', 'allowOrigins', 'allowHosts']],
  ['fathom-client', ['cpu_time_ms', 'peak_memory_mb', 'active_executions', 'queue_depth']],
])('an editor strikes out the former names of %s', (name, former) => {
  const types = readFileSync(join(root, 'packages', name, 'dist/index.d.ts'), 'utf8');
  for (const each of former)
    expect(types, each).toMatch(new RegExp(`@deprecated((?!\\*/)[^])*\\*/\\s+(readonly )?${each}\\??:`));
});

test.each([
  ['runCode', "import { runCode } from '@sbx/languages'; await runCode({ code: '', language: '|' });"],
  ['compile', "import { compile } from '@sbx/languages'; await compile({ code: '', language: '|' });"],
  [
    'spawn',
    "import type { Runtimes } from '@sbx/languages'; declare const it: Runtimes; await it.spawn({ code: '', language: '|' });",
  ],
])('an editor completes the language of %s', { timeout: 120_000 }, (_, source) => {
  expect(completionsOf(source).sort()).toEqual(
    languages
      .list()
      .map(({ name }) => name)
      .sort(),
  );
});

test('languages of the caller’s own are taken', { timeout: 120_000 }, () => {
  const source =
    "import type { RunCodeOptions } from '@sbx/languages'; export const own: RunCodeOptions['language'] = 'pascal';";
  expect(complaintsOf(source)).toEqual([]);
});
