import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { validateOneShot, validateRun } from './program.js';

function errorOf(validate: () => void): InvalidOptionsError | null {
  try {
    validate();
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

describe('file and arguments', () => {
  it.each<[unknown, unknown]>([
    ['ls', undefined],
    ['ls', []],
    ['ls', ['-la', '', 'a b', '--x=y', 'żółć']],
    ['./a.out', undefined],
    ['my program', []],
    ['/opt/my program', ['x']],
    ['x'.repeat(4095), []],
    ['sh', ['-c', 'x'.repeat(131_071)]],
    ['sh', Array(65_536).fill('1')],
  ])('case %# is fine', (file, args) => {
    expect(errorOf(() => validateOneShot(file, args, undefined))).toBeNull();
  });

  it.each<[unknown, unknown, string, string]>([
    ['', [], 'file', 'format'],
    ['a\0', [], 'file', 'nul'],
    ['a\ud800', [], 'file', 'format'],
    [5, [], 'file', 'type'],
    [undefined, undefined, 'file', 'type'],
    ['x'.repeat(4096), [], 'file', 'size'],
    ['ls -la', undefined, 'file', 'format'],
    ['a\tb', undefined, 'file', 'format'],
    ['ls', '-la', 'args', 'type'],
    ['ls', null, 'args', 'type'],
    ['ls', { cwd: '/' }, 'args', 'type'],
    ['ls', ['a', 5], 'args[1]', 'type'],
    ['ls', Array(1), 'args[0]', 'type'],
    ['ls', ['a\0b'], 'args[0]', 'nul'],
    ['ls', ['a', '\ud83d'], 'args[1]', 'format'],
    ['ls', ['x'.repeat(131_072)], 'args[0]', 'size'],
    ['ls', ['ż'.repeat(65_536)], 'args[0]', 'size'],
    ['ls', Array(65_537).fill(''), 'args', 'size'],
    ['ls', Array(20).fill('x'.repeat(130_000)), 'args', 'size'],
  ])('case %# is refused', (file, args, field, rule) => {
    const error = errorOf(() => validateOneShot(file, args, undefined));
    expect([error?.field, error?.rule]).toEqual([field, rule]);
  });

  it('a shell line gets an explanation with its own words', () => {
    const error = errorOf(() => validateRun('ls -la "x"', undefined, undefined));
    expect(error?.hint).toContain('("ls", ["-la", "\\"x\\""])');
    expect(error?.hint).toContain('no shell');
  });

  it.each<[string, unknown]>([
    ['what prepareRun gives', { file: 'ls', args: [], options: {} }],
    ['a list', ['ls', '-la']],
  ])('%s in the place of the file gets a hint', (_, file) => {
    expect(errorOf(() => validateRun(file, undefined, undefined))?.hint).toContain(
      'run(file, args, options)',
    );
  });

  it('options in the place of arguments get a hint', () => {
    expect(errorOf(() => validateRun('ls', { cwd: '/' }, undefined))?.hint).toContain('Options come third');
  });

  it('the sum of arguments and environment has a bound, counted in bytes', () => {
    const env = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`V${n}`, 'x'.repeat(100_000)]));
    const args = Array(5).fill('x'.repeat(100_000));
    expect(errorOf(() => validateOneShot('ls', args.slice(1), { env }))).toBeNull();
    expect(errorOf(() => validateOneShot('ls', args, { env }))?.field).toBe('args');
  });
});
