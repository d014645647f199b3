import { ProgramNotFoundError } from '@sbx/core';
import { expect, test } from 'vitest';
import { languages } from './index.js';
import { FakeEngine } from './testing/fake-engine.js';

const probeOne = async (engine: FakeEngine, name: string) => {
  const [report] = await languages.probe(engine, { languages: [name] });
  return report!;
};

test('an installed language has a version', async () => {
  const engine = new FakeEngine(() => ({ stdout: 'Python 3.11.2\n' }));
  expect(await probeOne(engine, 'python')).toEqual({
    name: 'python',
    title: 'Python',
    aliases: ['python3', 'py'],
    extensions: ['.py'],
    compiled: false,
    available: true,
    version: '3.11.2',
    reason: null,
    debianPackage: 'python3',
  });
});

test('the version may come on stderr', async () => {
  const engine = new FakeEngine(() => ({ stderr: 'javac 17.0.15\n' }));
  expect((await probeOne(engine, 'java')).version).toBe('17.0.15');
});

test('a missing one has a reason and a package, and its version is not asked', async () => {
  const engine = new FakeEngine();
  engine.missing = ['elixir', 'erl'];
  const report = await probeOne(engine, 'elixir');
  expect(report).toMatchObject({ available: false, version: null, debianPackage: 'elixir' });
  expect(report.reason).toContain('"elixir", "erl" are not inside the sandbox');
  expect(engine.calls).toHaveLength(0);
});

test('a version command that fails makes it unavailable', async () => {
  const engine = new FakeEngine(() => ({ status: 'exit', exitCode: 3 }));
  const report = await probeOne(engine, 'go');
  expect(report).toMatchObject({
    available: false,
    reason: '`go version` ended with exit (exit code 3) and showed no version.',
  });
});

test('a program that cannot be found after all makes it unavailable; other errors reject', async () => {
  const gone = new FakeEngine(() => {
    throw new ProgramNotFoundError({ file: 'go', tried: [], existsOnHost: null });
  });
  expect(await probeOne(gone, 'go')).toMatchObject({ available: false });
  const broken = new FakeEngine(() => {
    throw new Error('no engine');
  });
  await expect(probeOne(broken, 'go')).rejects.toThrow('no engine');
});

test('all languages are reported, in order', async () => {
  const reports = await languages.probe(new FakeEngine());
  expect(reports.map((report) => report.name)).toEqual(languages.list().map((language) => language.name));
});
