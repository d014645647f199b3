// What is special about single languages, and what holds for all steps.
import { Engine, InvalidOptionsError } from '@sbx/core';
import {
  compile,
  createRegistry,
  LanguageUnavailableError,
  languages,
  runArtifact,
  runCode,
} from '@sbx/languages';
import { describe, expect, test } from 'vitest';
import { MiB, useEngine } from '../helpers/engine.js';
import { isSkipped } from './installed.js';

const use = useEngine();
const SLOW_MS = 120_000;
const run = (language: string, code: string, options = {}) =>
  runCode({ engine: use.engine, language, code, ...options });

describe.skipIf(isSkipped('cpp'))('C++', () => {
  test('a header beside the source', { timeout: SLOW_MS }, async () => {
    const code = '#include "answer.h"\n#include <cstdio>\nint main() { std::printf("%d\\n", ANSWER); }';
    const result = await run('cpp', code, { files: { 'answer.h': '#define ANSWER 42\n' } });
    expect(result.stdout.text()).toBe('42\n');
  });

  test('nothing but the outputs reaches the run step', { timeout: SLOW_MS }, async () => {
    const code = '#include <cstdlib>\nint main() { return std::system("ls"); }';
    expect((await run('cpp', code)).stdout.text()).toBe('main\n');
  });

  test('a source that eats the compiler’s memory ends at its limit', { timeout: SLOW_MS }, async () => {
    const code = `#include <array>
constexpr auto fill() { std::array<int, 40'000'000> a{}; for (auto &x : a) x = 1; return a; }
constexpr auto filled = fill();
int main() { return filled[0]; }`;
    const compileLimits = { memoryBytes: 192 * MiB, cpuTimeMs: 20_000 };
    const result = await run('cpp', code, { compileLimits });
    expect(result).toMatchObject({ stage: 'compile', run: null, ok: false });
    expect(result.compile!.usage.memoryPeakBytes).toBeLessThanOrEqual(200 * MiB);
  });

  test('a source that reads the host’s files finds none', { timeout: SLOW_MS }, async () => {
    const result = await run('cpp', '#include "/etc/shadow"\nint main() {}');
    expect(result.stage).toBe('compile');
    expect(result.stderr.text()).toContain('No such file');
  });

  test('a flood of errors is bounded', { timeout: SLOW_MS }, async () => {
    const result = await run('cpp', 'x;'.repeat(100_000), { compileLimits: { outputBytes: 1000 } });
    expect(result).toMatchObject({ stage: 'compile', status: 'output-limit' });
    expect(result.stderr.bytes.length).toBe(1000);
  });
});

describe.skipIf(isSkipped('typescript'))('TypeScript', () => {
  test('enums, namespaces and parameter properties have code', async () => {
    const code = `enum Colour { Red, Green = 'g' }
namespace Inner { export const value = 7; }
class Point { constructor(readonly x: number, private y = 2) {} sum() { return this.x + this.y; } }
console.log(Colour.Red, Colour.Green, Inner.value, new Point(1).sum());`;
    expect((await run('ts', code)).stdout.text()).toBe('0 g 7 3\n');
  });

  test('a stack names the place in the source', async () => {
    const code =
      'interface A {\n  b: number;\n}\nfunction boom(a: A): never {\n  throw new Error(String(a.b));\n}\nboom({ b: 1 });';
    const { stderr, exitCode } = await run('ts', code);
    expect(exitCode).toBe(1);
    expect(stderr.text()).toContain('/w/main.ts:5:');
  });

  test('modules and top-level await', async () => {
    const code =
      'import { setTimeout as wait } from "node:timers/promises";\nconst x: number = await wait(1, 5);\nconsole.log(x);';
    expect((await run('ts', code)).stdout.text()).toBe('5\n');
  });
});

test.skipIf(isSkipped('typescript'))('a source too deep for the transformer is told in a line', async () => {
  const { compile } = await run('ts', '('.repeat(200_000));
  expect(compile).toMatchObject({ status: 'exit', exitCode: 1 });
  expect(compile!.stderr.text()).toMatch(/^main\.ts: error: the transformer gives up: \w+Error: .*\n$/);
});

describe.skipIf(isSkipped('javascript'))('JavaScript', () => {
  test('CommonJS works as well', async () => {
    expect((await run('js', 'console.log(require("node:path").basename("/a/b"))')).stdout.text()).toBe('b\n');
  });

  test('garbage is collected before the memory limit is met', async () => {
    const code = 'let s = 0; for (let i = 0; i < 3e6; i++) s += [i, { i }].length; console.log(s);';
    const result = await run('js', code, { limits: { memoryBytes: 96 * MiB } });
    expect(result).toMatchObject({ status: 'ok' });
  });

  test('a hog is judged by the memory limit, not aborted by V8', async () => {
    const code = 'const kept = []; for (let i = 0; ; i++) kept.push({ i, list: [i] });';
    const result = await run('js', code, { limits: { memoryBytes: 128 * MiB } });
    expect(result.status).toBe('memory-limit');
  });
});

describe.skipIf(isSkipped('java'))('Java', () => {
  test.each(['', '// nothing\n', 'package a;\n'])(
    'a source without a class is told as that: %j',
    { timeout: SLOW_MS },
    async (code) => {
      const { compile } = await run('java', code);
      expect(compile?.stderr.text()).toMatch(/^Main\.java: no class with a main method$/m);
      expect(compile?.stderr.text()).not.toContain('.sbx');
    },
  );

  const limits = { memoryBytes: 160 * MiB };
  test('garbage is collected before the memory limit is met', { timeout: SLOW_MS }, async () => {
    const code = `class A { public static void main(String[] a) {
  long s = 0; for (int i = 0; i < 200000; i++) s += new byte[10000].length; System.out.println(s); } }`;
    const result = await run('java', code, { limits });
    expect(result).toMatchObject({ status: 'ok' });
  });

  test('a hog is judged by the memory limit', { timeout: SLOW_MS }, async () => {
    const code = `import java.util.*; class A { public static void main(String[] a) {
  var kept = new ArrayList<byte[]>(); for (;;) { byte[] b = new byte[1 << 20]; Arrays.fill(b, (byte) 7); kept.add(b); } } }`;
    const result = await run('java', code, { limits });
    expect(result.status).toBe('memory-limit');
  });

  test('a class of another file, a package and a main that is nested', { timeout: SLOW_MS }, async () => {
    const code = `package deep.down;
public class Outer { static class Inner { public static void main(String[] a) { System.out.println(Helper.word()); } } }
class Helper { static String word() { return "found"; } }`;
    expect((await run('java', code)).stdout.text()).toBe('found\n');
  });

  test('a class with a name in another script', { timeout: SLOW_MS }, async () => {
    const code =
      'public class Größe { static public void main(String[] a) { System.out.println("found"); } }';
    expect((await run('java', code)).stdout.text()).toBe('found\n');
  });
});

describe.skipIf(isSkipped('go'))('Go', () => {
  test('all files of the folder are one package', { timeout: SLOW_MS }, async () => {
    const files = { 'util.go': 'package main\nfunc word() string { return "found" }\n' };
    const result = await run('go', 'package main\nfunc main() { println(word()) }', { files });
    expect(result.stderr.text()).toBe('found\n');
  });

  test('a package that is no program does not compile', { timeout: SLOW_MS }, async () => {
    const { compile, stage } = await run('go', 'package other\nfunc main() {}');
    expect([stage, compile!.stderr.text()]).toEqual(['compile', expect.stringContaining('main package')]);
  });
});

describe.skipIf(isSkipped('rust'))('Rust', () => {
  test('a source is a program, whatever it asks for', { timeout: SLOW_MS }, async () => {
    const { stdout } = await run('rust', '#![crate_type = "lib"]\npub fn main() { print!("1") }');
    expect(stdout.text()).toBe('1');
    expect(await run('rust', '#![crate_type = "lib"]\npub fn f() {}')).toMatchObject({ stage: 'compile' });
  });
});

describe.skipIf(isSkipped('python'))('Python', () => {
  test('a module beside the source, and a file taken out', async () => {
    const code = 'import helper\nopen("out.txt", "w").write(helper.word)';
    const result = await run('python', code, {
      files: { 'helper.py': 'word = "found"' },
      copyOut: ['out.txt'],
    });
    expect(result.files['out.txt']!.text()).toBe('found');
  });

  test('output comes while it runs', async () => {
    const chunks: string[] = [];
    const code = 'import time\nprint(1, flush=True)\ntime.sleep(0.3)\nprint(2, flush=True)';
    const onStdout = (chunk: Uint8Array) => chunks.push(Buffer.from(chunk).toString());
    await run('python', code, { onStdout });
    expect(chunks).toEqual(['1\n', '2\n']);
  });

  test('an abort kills it and rejects with the reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const call = run('python', 'import time\ntime.sleep(60)', { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 200);
    await expect(call).rejects.toBe(reason);
  });
});

describe('what is not there', () => {
  const definition = {
    name: 'nope',
    fileName: 'main.nope',
    run: { file: 'nope-runtime' },
    debianPackage: 'nope',
  };
  const registry = createRegistry({ languages: [definition] });

  test('is reported by the probe and refused by a run', async () => {
    const [report] = await registry.probe(use.engine, { languages: ['nope'] });
    expect(report).toMatchObject({ available: false, version: null, debianPackage: 'nope' });
    const call = registry.runCode({ engine: use.engine, language: 'nope', code: '' });
    await expect(call).rejects.toBeInstanceOf(LanguageUnavailableError);
  });

  test('an engine with another root has its own answer', { timeout: SLOW_MS }, async () => {
    const bare = await Engine.open({
      mounts: [{ kind: 'bind', source: '/usr/bin/true', target: '/bin/true' }],
      parallelism: 1,
    });
    try {
      const [report] = await languages.probe(bare, { languages: ['python'] });
      expect(report).toMatchObject({ available: false });
    } finally {
      await bare.close();
    }
  });
});

test('a language of one’s own', { timeout: SLOW_MS }, async () => {
  const upper = {
    name: 'upper',
    fileName: 'main.txt',
    compile: {
      file: 'sh',
      args: ['-c', 'tr a-z A-Z < "$1" > out.txt', 'sh', '{source}'],
      output: ['out.txt'],
    },
    run: { file: 'cat', args: ['out.txt'] },
  };
  const registry = createRegistry({ languages: [upper] });
  const result = await registry.runCode({ engine: use.engine, language: 'upper', code: 'loud\n' });
  expect(result.stdout.text()).toBe('LOUD\n');
});

test('limits out of range are refused before the compilation', async () => {
  const before = use.engine.counters().startedTotal;
  const call = run('cpp', 'int main() {}', { limits: { cpuTimeMs: -1 } });
  await expect(call).rejects.toBeInstanceOf(InvalidOptionsError);
  expect(use.engine.counters().startedTotal).toBe(before);
});

test('an artifact can be run on another engine', { timeout: SLOW_MS }, async () => {
  const { artifact } = await compile({ engine: use.engine, language: 'shell', code: 'echo hi' });
  const other = await Engine.open({ parallelism: 1 });
  try {
    expect((await runArtifact(artifact!, { engine: other })).stdout.text()).toBe('hi\n');
  } finally {
    await other.close();
  }
});
