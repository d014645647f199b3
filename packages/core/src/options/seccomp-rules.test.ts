import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { validateEngineOptions } from './engine-options.js';
import { syscallNumber } from './syscalls.js';

function errorOf(seccomp: unknown): InvalidOptionsError | null {
  try {
    validateEngineOptions({ seccomp });
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const policy = (rules: unknown, defaultAction: unknown = 'allow') => ({ defaultAction, rules });
const withArgs = (...args: unknown[]) => policy([{ names: ['read'], action: 'errno', args }]);

describe('seccomp policies', () => {
  it.each<[unknown]>([
    ['default'],
    ['strict'],
    [policy([])],
    [{ ...policy([]), base: 'strict' }],
    [policy([{ names: ['execve', 'open'], action: 'allow' }], 'kill-process')],
    [policy([{ names: ['execve'], action: 'errno', args: [{ index: 0, op: 'eq', value: 0 }] }])],
    [withArgs({ index: 5, op: 'bits-set', value: (1n << 64n) - 1n })],
    [
      withArgs(
        { index: 0, op: 'eq', value: 0xffffffff, width: 32 },
        { index: 0, op: 'ne', value: 1, width: 64 },
      ),
    ],
  ])('case %# is fine', (seccomp) => {
    expect(errorOf(seccomp)).toBeNull();
  });

  it.each<[unknown, string, string]>([
    ['stict', '', 'choice'],
    [null, '', 'type'],
    [{}, '.defaultAction', 'required'],
    [{ defaultAction: 'allow' }, '.rules', 'required'],
    [{ ...policy([]), base: 'none' }, '.base', 'choice'],
    [{ ...policy([]), default: 'allow' }, '.default', 'unknown-key'],
    [policy([], 'deny'), '.defaultAction', 'choice'],
    [policy({}), '.rules', 'type'],
    [policy(Array(1025).fill({ names: [], action: 'allow' })), '.rules', 'size'],
    [policy([{ names: ['read'] }]), '.rules[0].action', 'required'],
    [policy([{ names: 'read', action: 'errno' }]), '.rules[0].names', 'type'],
    [policy([{ names: ['read', 'raed'], action: 'errno' }]), '.rules[0].names[1]', 'choice'],
    [policy([{ names: [0], action: 'errno' }]), '.rules[0].names[0]', 'type'],
    [withArgs({ index: 6, op: 'eq', value: 0 }), '.rules[0].args[0].index', 'range'],
    [withArgs({ index: 0, op: '==', value: 0 }), '.rules[0].args[0].op', 'choice'],
    [withArgs({ index: 0, op: 'eq', value: -1 }), '.rules[0].args[0].value', 'range'],
    [withArgs({ index: 0, op: 'eq', value: 1n << 64n }), '.rules[0].args[0].value', 'range'],
    [withArgs({ index: 0, op: 'eq', value: '1' }), '.rules[0].args[0].value', 'type'],
    [withArgs({ index: 0, op: 'eq', value: 1, width: 16 }), '.rules[0].args[0].width', 'choice'],
    [withArgs({ index: 0, op: 'eq', value: 1n << 32n, width: 32 }), '.rules[0].args[0].value', 'range'],
    [withArgs(...Array(13).fill({ index: 0, op: 'eq', value: 1 })), '.rules[0].args', 'size'],
    [policy([], 'errno'), '', 'conflict'],
    [policy([{ names: ['execve'], action: 'kill-process' }]), '', 'conflict'],
  ])('case %# is refused', (seccomp, field, rule) => {
    const error = errorOf(seccomp);
    expect([error?.field, error?.rule]).toEqual([`options.seccomp${field}`, rule]);
  });

  it('a misspelt call is named, with the one that was meant', () => {
    const error = errorOf(policy([{ names: ['opneat'], action: 'errno' }]));
    expect(error?.message).toContain('"opneat"');
    expect(error?.hint).toBe('Did you mean openat?');
  });
});

describe('syscallNumber', () => {
  it.each([
    ['read', 0, 63],
    ['openat', 257, 56],
    ['open', 2, null],
    ['clone3', 435, 435],
    ['file_setattr', 469, 469],
    ['nothing', undefined, undefined],
  ])('%s', (name, x64, arm64) => {
    expect([syscallNumber(name, 'x64'), syscallNumber(name, 'arm64')]).toEqual([x64, arm64]);
  });
});
