import { InvalidOptionsError } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { createRegistry, languages, minimalRoot } from './index.js';
import { FakeEngine } from './testing/fake-engine.js';

const mine = {
  name: 'mine',
  aliases: ['my'],
  extensions: ['.mine'],
  fileName: 'main.mine',
  run: { file: 'mine' },
};

describe('finding', () => {
  test('the built-in languages are there', () => {
    const names = languages.list().map((language) => language.name);
    const asked = ['c', 'cpp', 'python', 'javascript', 'typescript', 'shell', 'elixir', 'go', 'rust', 'java'];
    expect(names).toEqual(expect.arrayContaining(asked));
  });

  test('names and aliases count, in any case', () => {
    expect(languages.find('C++').name).toBe('cpp');
    expect(languages.find('TS').name).toBe('typescript');
  });

  test.each([
    ['main.py', '', 'python'],
    ['a.b.hpp', '', null],
    ['x.cc', '', 'cpp'],
    ['x.sh', 'echo', 'shell'],
    ['x.sh', '#!/bin/bash\n', 'bash'],
    ['x', '#!/usr/bin/env python3.11\n', 'python'],
    ['x', '#!/usr/bin/env -S node --no-warnings\n', 'javascript'],
    ['x.ts', '#!/usr/bin/env node\n', 'typescript'],
    ['x', '', null],
  ])('%s with %j is %s', (file, code, expected) => {
    expect(languages.detect(file, code)?.name ?? null).toBe(expected);
  });
});

describe('createRegistry', () => {
  test('adds to the built-in languages, or to none', () => {
    expect(createRegistry({ languages: [mine] }).find('python').name).toBe('python');
    const alone = createRegistry({ languages: [mine], extend: null });
    expect(alone.list().map((language) => language.name)).toEqual(['mine']);
    expect(createRegistry({ extend: alone }).find('my').title).toBe('mine');
  });

  test('replaces a language of the same name', async () => {
    const python = { name: 'python', fileName: 'p.py', run: { file: 'pypy3', args: ['-u', '{source}'] } };
    const engine = new FakeEngine();
    await createRegistry({ languages: [python] }).runCode({ language: 'python', code: '', engine });
    expect(engine.calls[0]).toMatchObject({ file: 'pypy3', args: ['-u', 'p.py'] });
    expect(languages.find('python').run.file).toBe('python3');
  });

  const bad: [string, object, string][] = [
    ['an unknown key', { ...mine, compiler: {} }, 'options.languages[0].compiler'],
    ['no run step', { ...mine, run: undefined }, 'options.languages[0].run'],
    ['a name with a blank', { ...mine, name: 'my lang' }, 'options.languages[0].name'],
    ['an extension without dot', { ...mine, extensions: ['mine'] }, 'options.languages[0].extensions[0]'],
    [
      'a compile step without output',
      { ...mine, compile: { file: 'c' } },
      'options.languages[0].compile.output',
    ],
    [
      'an unknown limit',
      { ...mine, run: { file: 'm', limits: { cpu: 1 } } },
      'options.languages[0].run.limits.cpu',
    ],
    [
      'a pattern that is text',
      { ...mine, version: { file: 'm', args: [], pattern: 'v' } },
      'options.languages[0].version.pattern',
    ],
    ['an alias of another language', { ...mine, aliases: ['py'] }, 'options.languages'],
    ['an extension of another language', { ...mine, extensions: ['.py'] }, 'options.languages'],
  ];
  test.each(bad)('refuses %s', (_name, definition, field) => {
    try {
      createRegistry({ languages: [definition as typeof mine] });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidOptionsError);
      expect(error).toMatchObject({ field });
    }
  });

  test('needs are the programs of the steps, unless said', () => {
    const compile = { file: 'cc', output: ['out'] };
    const registry = createRegistry({
      languages: [{ ...mine, compile, run: { file: './out' } }],
      extend: null,
    });
    expect(registry.find('mine').needs).toEqual(['cc']);
  });
});

test('what is no name, no file, no engine is told as any other wrong option', async () => {
  const odd = { field: expect.any(String), rule: expect.stringMatching(/type|format|choice/) };
  for (const value of [null, 5, {}, Symbol('s')] as never[]) {
    expect(() => languages.find(value)).toThrow(expect.objectContaining({ field: 'options.language' }));
    expect(() => languages.detect(value)).toThrow(expect.objectContaining({ field: 'fileName' }));
    expect(() => languages.detect('a.sh', value)).toThrow(expect.objectContaining({ field: 'code' }));
    expect(() => minimalRoot(value)).toThrow(expect.objectContaining({ field: 'languages' }));
    await expect(languages.probe(value)).rejects.toMatchObject({ ...odd, field: 'engine' });
    await expect(languages.probe(undefined, { languages: value })).rejects.toMatchObject(odd);
    await expect(languages.probe(undefined, { languages: [value] })).rejects.toMatchObject(odd);
  }
  const unknown = languages.probe(undefined, { languages: ['shell', 'pyton'] });
  await expect(unknown).rejects.toMatchObject({ field: 'options.languages[1]', rule: 'choice' });
  for (const value of [null, 5] as never[])
    expect(() => minimalRoot([value])).toThrow(expect.objectContaining({ field: 'languages[0]' }));
});
