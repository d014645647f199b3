import { expect, it } from 'vitest';
import type { EngineCore } from '../engine/core.js';
import { DEFAULT_LIMITS, resolveLimits } from '../options/limits.js';
import { makeSandboxSpec } from '../pool/sandbox-spec.js';
import type { StandbyProgram } from '../types/standby.js';
import { makeLaunchSpec } from './launch-spec.js';

const CORE = {
  limits: resolveLimits(DEFAULT_LIMITS),
  openFilesMax: 1024,
  features: { 'cpu-accounting': { available: true } },
  toolchainPath: '',
  sandboxSpec: ({ network }: { network?: string }) =>
    makeSandboxSpec({
      loopback: network === 'loopback',
      strict: false,
      seccompKill: false,
      terminal: false,
      diskBytes: 0,
      diskFileCount: 0,
    }),
} as unknown as EngineCore;
const PROGRAM: StandbyProgram = { file: 'python3', args: ['main.py'], entry: 'main.py' };
const specOf = (more: Partial<StandbyProgram> = {}) => makeLaunchSpec(CORE, { ...PROGRAM, ...more });

it.each<[string, Partial<StandbyProgram>]>([
  ['another file', { file: 'python2' }],
  ['other arguments', { args: ['-u', 'main.py'] }],
  ['another entry', { entry: 'other.py' }],
  ['another environment', { env: { A: '1' } }],
  ['another order of the environment', { env: { PATH: '/b', A: '1' } }],
  ['another working folder', { cwd: '/tmp' }],
  ['more processes', { limits: { processCount: 7 } }],
  ['a limit of each process', { limits: { stackBytes: 2 ** 20 } }],
  ['a loopback', { network: 'loopback' }],
  ['more files', { files: { 'a.txt': 'a' } }],
  ['a family of calls', { seccompFamily: 'python' as never }],
])('what a program can see before its entry tells two apart: %s', (_, more) => {
  expect(specOf(more).key).not.toBe(specOf().key);
});

it('limits that hold from the request on do not', () => {
  expect(specOf({ limits: { cpuTimeMs: 5, wallTimeMs: 6, memoryBytes: 2 ** 27 } }).key).toBe(specOf().key);
});

it('a program with a CPU set cannot wait', () => {
  expect(specOf().mayWait).toBe(true);
  expect(specOf({ limits: { cpuSet: '0' } }).mayWait).toBe(false);
});

it('is a copy', () => {
  const args = ['main.py'];
  const spec = specOf({ args });
  args.push('more');
  expect(spec.args).toEqual(['main.py']);
  expect(spec.options).toMatchObject({ stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
});
