import { InvalidOptionsError } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { createRegistry, LanguageUnavailableError, languages, runArtifact, runCode } from './index.js';
import { type FakeAnswer, FakeEngine } from './testing/fake-engine.js';

const compilesTo = (answer: FakeAnswer) => (call: { file: string }) =>
  call.file === 'g++' ? answer : { stdout: 'ran' };

describe('runCode', () => {
  test('a language without compile step is one run', async () => {
    const engine = new FakeEngine(() => ({ stdout: '3\n' }));
    const result = await runCode({
      language: 'python',
      code: 'print(3)',
      engine,
      stdin: { text: 'x' },
      args: ['a'],
    });
    expect(result).toMatchObject({ stage: 'run', language: 'python', status: 'ok', ok: true, compile: null });
    expect(result.stdout.text()).toBe('3\n');
    expect(engine.calls).toHaveLength(1);
    expect(engine.calls[0]).toMatchObject({
      file: 'python3',
      args: ['main.py', 'a'],
      options: { files: { 'main.py': { text: 'print(3)' } }, stdin: { text: 'x' } },
    });
  });

  test('a source in bytes stays as it is', async () => {
    const code = Buffer.from('print("é")', 'latin1');
    const engine = new FakeEngine(() => ({ files: { 'main.jar': '' } }));
    await runCode({ language: 'python', code, engine });
    expect(engine.calls[0]!.options.files).toEqual({ 'main.py': { bytes: code } });
    await runCode({ language: 'java', code: Buffer.from('public class Tür {}'), engine });
    expect(engine.calls[1]!.options.files).toHaveProperty(['Tür.java']);
  });

  test('a compiled language is two runs, and only the outputs reach the second one', async () => {
    const engine = new FakeEngine(compilesTo({ files: { main: 'ELF' } }));
    const result = await runCode({ language: 'c++', code: 'int main(){}', engine, limits: { cpuTimeMs: 5 } });
    expect(result).toMatchObject({ stage: 'run', language: 'cpp', ok: true });
    expect(result.compile).not.toBeNull();
    const [compiler, program] = engine.calls;
    expect(compiler).toMatchObject({ file: 'g++', options: { copyOut: ['main'] } });
    expect(compiler!.options.limits).not.toMatchObject({ cpuTimeMs: 5 });
    expect(program).toMatchObject({ file: './main', args: [], options: { limits: { cpuTimeMs: 5 } } });
    expect(program!.options.files).toEqual({ main: { bytes: Buffer.from('ELF'), mode: 0o755 } });
  });

  test('a failed compilation is a result of stage compile, and nothing is run', async () => {
    const engine = new FakeEngine(compilesTo({ status: 'exit', stderr: 'main.cpp:1: error' }));
    const result = await runCode({ language: 'cpp', code: 'x', engine });
    expect(result).toMatchObject({ stage: 'compile', status: 'exit', ok: false, run: null, files: {} });
    expect(result.stderr.text()).toBe('main.cpp:1: error');
    expect(() => result.orThrow()).toThrow();
    expect(engine.calls).toHaveLength(1);
  });

  test('limits and environment of the two steps are separate', async () => {
    const engine = new FakeEngine(compilesTo({ files: { main: 'ELF' } }));
    await runCode({
      language: 'cpp',
      code: '',
      engine,
      compileLimits: { memoryBytes: 7000 },
      limits: { memoryBytes: 8000 },
      env: { A: '1' },
    });
    expect(engine.calls.map((call) => call.options.limits?.memoryBytes)).toEqual([7000, 8000]);
    const [compiled, ran] = engine.calls.map((call) => call.options.env);
    expect(compiled).not.toHaveProperty('A');
    expect(ran).toHaveProperty('A', '1');
  });

  test('more files go to both steps of a compiled language and to the one of another', async () => {
    const engine = new FakeEngine(compilesTo({ files: { main: 'ELF' } }));
    await runCode({ language: 'cpp', code: '', engine, files: { 'a.h': '1' } });
    await runCode({ language: 'python', code: '', engine, files: { 'a.py': '1' } });
    expect(engine.calls.map((call) => Object.keys(call.options.files ?? {}))).toEqual([
      ['a.h', 'main.cpp'],
      ['a.h', 'main'],
      ['a.py', 'main.py'],
    ]);
  });

  test('no spelling of the source’s name puts another file in its place', async () => {
    const engine = new FakeEngine();
    const run = (name: string) =>
      runCode({ language: 'python', code: '', engine, files: { [name]: 'other' } });
    for (const name of ['main.py', './main.py', './/main.py'])
      await expect(run(name)).rejects.toMatchObject({ option: 'files', rule: 'conflict' });
    await run('/w/main.py');
    expect(Object.keys(engine.calls[0]!.options.files!).at(-1)).toBe('main.py'); // written last
  });

  test('the source can have another name', async () => {
    const engine = new FakeEngine();
    await runCode({ language: 'python', code: '', fileName: 'solution.py', engine });
    expect(engine.calls[0]!.args).toEqual(['solution.py']);
  });

  test.each(['$&.py', "a$$b $'.py", '{source}.py', 'a\nb.py'])('also one like %j', async (fileName) => {
    const engine = new FakeEngine();
    await runCode({ language: 'python', code: '', fileName, engine });
    expect(engine.calls[0]!.args).toEqual([fileName]);
  });

  test.each(['-x.py', '+x.sh', '@x.java', '.x.py'])(
    'but %j, which could be read as a flag',
    async (fileName) => {
      const refused = runCode({ language: 'shell', code: '', fileName, engine: new FakeEngine() });
      await expect(refused).rejects.toMatchObject({ field: 'options.fileName', rule: 'format' });
    },
  );
});

describe('artifacts', () => {
  test('are compiled once and run many times', async () => {
    const engine = new FakeEngine(compilesTo({ files: { main: 'ELF' } }));
    const compilation = await languages.compile({ language: 'cpp', code: '', engine });
    if (!compilation.ok) throw new Error('not compiled');
    const copy = structuredClone(compilation.artifact);
    for (const text of ['1', '2']) await runArtifact(copy, { engine, stdin: { text } });
    expect(engine.calls.map((call) => call.file)).toEqual(['g++', './main', './main']);
  });

  test('of a language without compile step carry source and files', async () => {
    const engine = new FakeEngine();
    const { artifact } = await languages.compile({
      language: 'python',
      code: 'x',
      files: { 'm.py': 'y' },
      engine,
    });
    expect(artifact).toEqual({
      language: 'python',
      source: 'main.py',
      files: { 'm.py': 'y', 'main.py': { text: 'x' } },
    });
    expect(engine.calls).toHaveLength(0);
  });

  test('prepareRun gives the run step without running it', async () => {
    const artifact = { language: 'python', source: 'main.py', files: { 'main.py': { text: '' } } };
    const plan = languages.prepareRun(artifact, { args: ['1'], limits: { cpuTimeMs: 9 } });
    expect(plan).toMatchObject({
      file: 'python3',
      args: ['main.py', '1'],
      options: { limits: { cpuTimeMs: 9 } },
    });
    expect(plan.options).not.toHaveProperty('signal');
  });
});

describe('what is not installed', () => {
  test('is told before anything is started', async () => {
    const engine = new FakeEngine();
    engine.missing = ['rustc'];
    const error = await runCode({ language: 'rust', code: '', engine }).catch((caught) => caught);
    expect(error).toBeInstanceOf(LanguageUnavailableError);
    expect(error).toMatchObject({
      name: 'LanguageUnavailableError',
      code: 'SBX_LANGUAGE_UNAVAILABLE',
      language: 'rust',
      missing: ['rustc'],
      debianPackage: 'rustc',
      retryable: false,
      message:
        'Rust is not available: "rustc" is not inside the sandbox. On Debian: apt-get install rustc. Of one outside /usr give the engine its folder, in `toolchains`.',
    });
    expect(engine.calls).toHaveLength(0);
  });

  test('is asked once per engine when all is there, and again when it was not', async () => {
    const engine = new FakeEngine();
    engine.missing = ['python3'];
    await expect(runCode({ language: 'python', code: '', engine })).rejects.toThrow(LanguageUnavailableError);
    engine.missing = [];
    for (let round = 0; round < 3; round++) await runCode({ language: 'python', code: '', engine });
    expect(engine.checkCount).toBe(2);
  });

  test('is asked again after a check that was cut short', async () => {
    const engine = new FakeEngine();
    engine.checkStatus = 'wall-limit';
    await runCode({ language: 'python', code: '', engine });
    engine.checkStatus = 'ok';
    for (let round = 0; round < 3; round++) await runCode({ language: 'python', code: '', engine });
    expect(engine.checkCount).toBe(2);
  });
});

describe('refused before anything is started', () => {
  test.each([
    [undefined, /artifact must be a plain object/],
    [{}, /artifact\.language is missing/],
    [{ language: 'cpp', source: 'main.cpp' }, /artifact\.files is missing/],
    [
      { language: 'cpp', source: 'main.cpp', files: 'main' },
      /artifact\.files must be an object of path: content/,
    ],
    [{ ok: true, language: 'cpp', artifact: {}, result: null }, /Give compilation\.artifact/],
  ])('%j is no artifact', async (artifact, message) => {
    const engine = new FakeEngine(() => ({}));
    await expect(runArtifact(artifact as never, { engine })).rejects.toThrow(message);
    await expect(runArtifact(artifact as never, { engine })).rejects.toBeInstanceOf(InvalidOptionsError);
    expect(engine.calls).toHaveLength(0);
  });

  test.each([['python'], [undefined], [['python', '']]])('%j is told what it should be', async (options) => {
    await expect(runCode(options as never)).rejects.toThrow(
      /^options must be a plain object .*got .*\. An example: \{ language: 'python', code: '…' \}/,
    );
  });

  test('names of child_process are told what to write', async () => {
    const wrong = { language: 'python', code: '', timeout: 5 };
    await expect(runCode(wrong as never)).rejects.toThrow(/wallTimeMs/);
  });

  const definition = { name: 'mine', fileName: 'm', run: { file: 'm' } };
  const registry = createRegistry({ languages: [definition] });
  const base = { language: 'cpp', code: '' };
  const cases: [string, Record<string, unknown>, string, RegExp][] = [
    ['an unknown option', { ...base, timeout: 5 }, 'options.timeout', /not a key of the options of runCode/],
    ['a slip', { ...base, limit: {} }, 'options.limit', /Did you mean limits\?/],
    ['an unknown limit', { ...base, limits: { cpuTimeMS: 1 } }, 'options.limits.cpuTimeMS', /cpuTimeMs/],
    [
      'a limit that is no number',
      { ...base, compileLimits: { cpuTimeMs: '1s' } },
      'options.compileLimits.cpuTimeMs',
      /number/,
    ],
    ['a NaN', { ...base, limits: { memoryBytes: Number.NaN } }, 'options.limits.memoryBytes', /NaN/],
    ['no code', { language: 'cpp' }, 'options.code', /is missing/],
    ['no language', { code: '' }, 'options.language', /is missing/],
    ['an unknown language', { ...base, language: 'pyton' }, 'options.language', /Did you mean python\?/],
    [
      'a language that none is near to',
      { ...base, language: 'ruby' },
      'options.language',
      /known language; got "ruby"\. Known are:/,
    ],
    ['arguments that are no strings', { ...base, args: [1] }, 'options.args[0]', /string/],
    ['a file name with a folder', { ...base, fileName: '../a' }, 'options.fileName', /without folders/],
    ['a file name like a flag', { ...base, fileName: '-o' }, 'options.fileName', /"-"/],
    ['a source named as the output', { ...base, fileName: 'main' }, 'options.fileName', /uses itself/],
    ['a file named as the output', { ...base, files: { main: '' } }, 'options.files["main"]', /uses itself/],
    [
      'a limit of the second step that core would refuse',
      { ...base, limits: { cpuTimeMs: 0 } },
      'options.limits.cpuTimeMs',
      /Give null for no limit/,
    ],
    ['a descriptor of the second step', { ...base, stdout: 'pip' }, 'options.stdout', /capture/],
    ['an instance of a class', { ...base, env: new URL('a:b') }, 'options.env', /plain object/],
    ['a list of variables', { ...base, env: ['A=1'] }, 'options.env', /plain object/],
    ['something else than an engine', { ...base, engine: {} }, 'options.engine', /Engine/],
    ['flags of the compiler', { ...base, flags: ['-O3'] }, 'options.flags', /createRegistry\(/],
  ];
  test.each(cases)('%s', async (_name, options, field, message) => {
    const engine = new FakeEngine();
    const error = await registry.runCode({ engine, ...options } as never).catch((caught) => caught);
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(error).toMatchObject({ field, code: 'SBX_INVALID_OPTIONS' });
    expect(error.message).toMatch(message);
    expect([engine.calls, engine.checkCount]).toEqual([[], 0]);
  });

  test('arguments of a compiler, which are its language’s', async () => {
    const compiled = registry.compile({ engine: new FakeEngine(), ...base, args: ['-O3'] } as never);
    await expect(compiled).rejects.toMatchObject({
      field: 'options.args',
      message: expect.stringMatching(/createRegistry\(/),
    });
  });

  test('a call that is aborted already', async () => {
    const engine = new FakeEngine();
    const reason = new Error('enough');
    const call = runCode({ ...base, engine, signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect([engine.calls, engine.checkCount]).toEqual([[], 0]);
  });
});
