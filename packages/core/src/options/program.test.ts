import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import {
  validateOneShot,
  validateOneShotSpawn,
  validateProgram,
  validateRun,
  validateSandboxOptions,
} from './program.js';

type Validator = (file: unknown, args: unknown, options: unknown) => void;

function errorOf(validate: () => void): InvalidOptionsError | null {
  try {
    validate();
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const options = (value: unknown, validate: Validator = validateOneShot) =>
  errorOf(() => validate('/bin/true', [], value));

const engine = { createSandbox() {}, runGroup() {} };

describe('options of every program', () => {
  it.each<[object]>([
    [{ env: {}, cwd: '/w/x', killGraceMs: 60_000, signal: new AbortController().signal }],
    [{ env: { A: '', 'B.C': 'x=y', 'LC ALL': '\n' }, cwd: '.', killGraceMs: 0.5 }],
    [{ env: ['A=x', 'A=y', 'no equals', ''], lookup: 'cwd-first' }],
    [{ env: [], lookup: 'path' }],
    [{ stdin: 'empty', stdout: 'capture', stderr: 'stdout' }],
    [{ stdin: 'null', stdout: 'null', stderr: 'null' }],
    [{ stdin: { text: 'a\0b' } }],
    [{ stdin: { text: '' } }],
    [{ stdin: { bytes: Buffer.from('x') }, stdout: { file: 'out/a.txt' }, stderr: { file: 'err' } }],
    [{ stdin: { hostFile: '/etc/hostname' } }],
    [{ stdin: { fd: 0 } }],
    [{ stdin: { file: 'in.txt' } }],
    [{ stdin: { stream: Readable.from(['x']) } }],
    [{ fds: { 3: { input: { text: 'x' } }, 255: { output: 'capture' }, 4: { fd: 7 }, 5: undefined } }],
    [{ fds: { 0: { input: 'closed' }, 1: { output: 'closed' }, 2: { output: { sameAs: 1 } } } }],
    [{ stdin: 'closed', stdout: 'closed', stderr: { sameAs: 1 } }],
    [{ stdin: { inherit: 0 }, stdout: { inherit: 1 } }],
    [{ stdin: { text: '', seekable: true }, stdout: { capture: { maxBytes: 0, overflow: 'discard' } } }],
    [{ stdin: { fd: 3, seekable: true }, stderr: { capture: { maxBytes: 1, overflow: 'kill' } } }],
    [{ stdin: { file: undefined, text: 'x' }, stdout: { file: 'a', mode: 0o777, collect: { maxBytes: 5 } } }],
    [{ fds: { 9: { output: { file: 'a', collect: { maxBytes: 5, as: 'fd' } } } } }],
    [{ pty: {} }],
    [{ pty: {}, fds: { 0: { input: 'null' } } }],
    [
      {
        pty: {
          cols: 0,
          rows: 0,
          term: null,
          input: { text: '' },
          capture: { maxBytes: 0, overflow: 'hangup' },
        },
      },
    ],
    [{ pty: { cols: 132, rows: 50, term: 'dumb' }, fds: { 3: { output: 'null' } } }],
    [{ limits: { cpuTimeMs: 1, memoryBytes: null } }],
    [{ onAbort: 'resolve' }],
    [{ stdin: undefined, limits: undefined, env: undefined }],
  ])('case %# is fine everywhere', (value) => {
    for (const validate of [validateOneShot, validateRun, validateProgram]) {
      expect(options(value, validate), validate.name).toBeNull();
    }
  });

  it.each<[unknown, string, string]>([
    [null, '', 'type'],
    ['x', '', 'type'],
    [{ timout: 1 }, '.timout', 'unknown-key'],
    [{ env: { '': 'x' } }, '.env[""]', 'format'],
    [{ env: { 'A=B': 'x' } }, '.env["A=B"]', 'format'],
    [{ env: { 'A\0': 'x' } }, '.env["A\\u0000"]', 'nul'],
    [{ env: { A: 'x\0' } }, '.env.A', 'nul'],
    [{ env: { 'A\ud800': 'x' } }, '.env["A\\ud800"]', 'format'],
    [{ env: { A: 'x\ud800' } }, '.env.A', 'format'],
    [{ env: ['A=\udfff'] }, '.env[0]', 'format'],
    [{ cwd: 'a\ud800' }, '.cwd', 'format'],
    [{ env: { A: 1 } }, '.env.A', 'type'],
    [{ env: { A: undefined } }, '.env.A', 'type'],
    [{ env: { A: 'x'.repeat(131_070) } }, '.env.A', 'size'],
    [{ env: ['A=x', 5] }, '.env[1]', 'type'],
    [{ env: ['A=x', 'B\0=x'] }, '.env[1]', 'nul'],
    [{ env: ['x'.repeat(131_072)] }, '.env[0]', 'size'],
    [{ env: Array(65_537).fill('') }, '.env', 'size'],
    [{ env: Array(1) }, '.env[0]', 'type'],
    [{ env: 'A=x' }, '.env', 'type'],
    [{ lookup: 'cwd' }, '.lookup', 'choice'],
    [{ env: null }, '.env', 'type'],
    [{ env: process.env }, '.env', 'type'],
    [{ cwd: '' }, '.cwd', 'format'],
    [{ cwd: 'a\0' }, '.cwd', 'nul'],
    [{ killGraceMs: -1 }, '.killGraceMs', 'range'],
    [{ killGraceMs: 60_001 }, '.killGraceMs', 'range'],
    [{ killGraceMs: null }, '.killGraceMs', 'type'],
    [{ signal: 'SIGTERM' }, '.signal', 'type'],
    [{ signal: new AbortController() }, '.signal', 'type'],
    [{ limits: { cpuTimeMs: 0 } }, '.limits.cpuTimeMs', 'range'],
    [{ limits: { cpuTime: 5 } }, '.limits.cpuTime', 'unknown-key'],
    [{ limits: null }, '.limits', 'type'],
    [{ stdin: 'hello' }, '.stdin', 'type'],
    [{ stdin: Buffer.from('x') }, '.stdin', 'type'],
    [{ stdin: Readable.from([]) }, '.stdin', 'type'],
    [{ stdin: null }, '.stdin', 'type'],
    [{ stdin: {} }, '.stdin', 'required'],
    [{ stdin: { text: 'x', bytes: new Uint8Array() } }, '.stdin', 'conflict'],
    [{ stdin: { text: 5 } }, '.stdin.text', 'type'],
    [{ stdin: { bytes: 'x' } }, '.stdin.bytes', 'type'],
    [{ stdin: { bytes: new Uint16Array(1) } }, '.stdin.bytes', 'type'],
    [{ stdin: { fd: -1 } }, '.stdin.fd', 'range'],
    [{ stdin: { file: '/etc/../passwd' } }, '.stdin.file', 'format'],
    [{ stdin: { hostFile: '' } }, '.stdin.hostFile', 'format'],
    [{ stdin: { stream: ['x'] } }, '.stdin.stream', 'type'],
    [{ stdout: 'stdout' }, '.stdout', 'choice'],
    [{ stdout: 'pip' }, '.stdout', 'choice'],
    [{ stdout: { file: '../x' } }, '.stdout.file', 'format'],
    [{ stdout: {} }, '.stdout', 'required'],
    [{ stdout: { file: 'a', capture: { maxBytes: 1 } } }, '.stdout', 'conflict'],
    [{ stdout: { capture: {} } }, '.stdout.capture.maxBytes', 'required'],
    [{ stdout: { capture: { maxBytes: -1 } } }, '.stdout.capture.maxBytes', 'range'],
    [{ stdout: { capture: { maxBytes: 1, overflow: 'drop' } } }, '.stdout.capture.overflow', 'choice'],
    [{ stdout: { file: 'a', mode: 0o1777 } }, '.stdout.mode', 'range'],
    [{ stdout: { file: 'a', collect: {} } }, '.stdout.collect.maxBytes', 'required'],
    [{ stdout: { file: 'a', collect: { maxBytes: 1, as: 'text' } } }, '.stdout.collect.as', 'choice'],
    [{ stdout: { inherit: 1, mode: 0o600 } }, '.stdout.mode', 'conflict'],
    [{ stdout: { sameAs: 1, collect: { maxBytes: 1 } } }, '.stdout.collect', 'conflict'],
    [{ stdout: { sameAs: 256 } }, '.stdout.sameAs', 'range'],
    [{ stdout: { inherit: -1 } }, '.stdout.inherit', 'range'],
    [{ stdin: { inherit: 1.5 } }, '.stdin.inherit', 'range'],
    [{ stdin: { file: 'a', seekable: true } }, '.stdin.seekable', 'conflict'],
    [{ stdin: { inherit: 3, seekable: true } }, '.stdin.seekable', 'conflict'],
    [{ stdin: { seekable: true } }, '.stdin', 'required'],
    [{ stdin: 'empty', fds: { 0: { input: 'null' } } }, '.fds[0]', 'conflict'],
    [{ stderr: 'stdout', fds: { 2: { output: 'null' } } }, '.fds[2]', 'conflict'],
    [{ stdout: { text: 'x' } }, '.stdout.text', 'unknown-key'],
    [{ stdout: 1 }, '.stdout', 'type'],
    [{ stderr: { file: '.' } }, '.stderr.file', 'format'],
    [{ fds: { 256: { output: 'null' } } }, '.fds[256]', 'range'],
    [{ fds: { '03': { output: 'null' } } }, '.fds[03]', 'range'],
    [{ fds: { '3.5': { output: 'null' } } }, '.fds["3.5"]', 'range'],
    [{ fds: { out: { output: 'null' } } }, '.fds.out', 'range'],
    [{ fds: { 3: {} } }, '.fds[3]', 'required'],
    [{ fds: { 3: { input: 'empty', output: 'null' } } }, '.fds[3]', 'conflict'],
    [{ fds: { 3: { input: { file: '/x/' } } } }, '.fds[3].input.file', 'format'],
    [{ fds: { 3: { fd: 1.5 } } }, '.fds[3].fd', 'range'],
    [{ fds: [] }, '.fds', 'type'],
    [{ pty: true }, '.pty', 'type'],
    [{ pty: { cols: -1 } }, '.pty.cols', 'range'],
    [{ pty: { rows: 65_536 } }, '.pty.rows', 'range'],
    [{ pty: { term: '' } }, '.pty.term', 'format'],
    [{ pty: { input: 'text' } }, '.pty.input', 'type'],
    [{ pty: { input: {} } }, '.pty.input', 'required'],
    [{ pty: { capture: {} } }, '.pty.capture.maxBytes', 'required'],
    [{ pty: { capture: { maxBytes: 1, overflow: 'discard' } } }, '.pty.capture.overflow', 'choice'],
    [{ pty: { rows: 65_536 } }, '.pty.rows', 'range'],
    [{ pty: { term: '' } }, '.pty.term', 'format'],
    [{ pty: {}, stdin: 'empty' }, '.stdin', 'conflict'],
    [{ pty: {}, stdout: 'capture' }, '.stdout', 'conflict'],
    [{ pty: {}, stderr: 'stdout' }, '.stderr', 'conflict'],
  ])('case %# is refused everywhere', (value, path, rule) => {
    for (const validate of [validateOneShot, validateRun, validateProgram]) {
      const error = options(value, validate);
      expect([error?.field, error?.rule], validate.name).toEqual([`options${path}`, rule]);
    }
  });

  it('values of variables and contents are never repeated', () => {
    for (const value of [
      { env: { A: 'hunter2\0' } },
      { env: 'A=hunter2' },
      { stdin: 'hunter2' },
      { stdin: { bytes: 'hunter2' } },
      { files: { a: { bytes: 'hunter2' } } },
      { files: 'hunter2' },
    ]) {
      expect(JSON.stringify(options(value))).not.toContain('hunter2');
    }
  });

  it.each<[object, string]>([
    [{ cpuTimeMs: 1 }, 'It belongs into limits: { cpuTimeMs: … }.'],
    [{ memory: 1 }, 'Did you mean limits: { memoryBytes: … }?'],
    [{ timeout: 5 }, 'wallTimeMs'],
    [{ input: 'x' }, 'stdin: { text }'],
    [{ sdtin: 'empty' }, 'Did you mean stdin?'],
    [{ stdin: 'hello\n' }, 'For text give { text: … }.'],
    [{ stdin: Readable.from([]) }, 'Give { stream: … }.'],
    [{ stdin: Buffer.from('x') }, 'Give { bytes: … }.'],
    [{ signal: new AbortController() }, 'Give its signal property.'],
    [{ stdout: { maxBytes: 5 } }, 'capture: { maxBytes: … }'],
    [{ env: { A: undefined } }, 'Leave the variable out'],
    [{ env: process.env }, 'nothing of the host'],
    [{ env: Promise.resolve({}) }, 'It is a promise: await it first.'],
    [{ stdout: 'inherit' }, 'Give { inherit: 1 }'],
    [{ stderr: 'ignore' }, "Give 'null'."],
    [{ mounts: [] }, 'Give it to Engine.open'],
    [{ workdir: '/tmp' }, 'Give cwd.'],
    [{ allowNet: [] }, "No option leads outside: network: 'loopback' is 127.0.0.1 within the sandbox."],
    [{ envs: {} }, 'env: { ...DEFAULT_ENV, KEY: value }'],
    [{ workspace: '/tmp' }, 'give it to Sandbox.create'],
    [{ lifetimeMs: 1 }, 'give it to Sandbox.create'],
    [{ allowSyscalls: [] }, 'Give it to Engine.open'],
    [{ background: true }, 'spawn returns once the program executes'],
    [{ limits: { timeLimit: 1 } }, 'Give cpuTimeMs (time on the CPU) or wallTimeMs'],
    [{ timeLimit: 1 }, 'In limits: Give cpuTimeMs'],
    [{ limits: { memoryBytes: 64 } }, '256 * 2 ** 20 is 256 MiB'],
  ])('case %# gets a hint', (value, hint) => {
    for (const validate of [validateOneShot, validateRun, validateProgram]) {
      expect(options(value, validate)?.hint).toContain(hint);
    }
  });
});

describe('what a standing sandbox has from its creation', () => {
  it.each([
    [{ network: 'loopback' }, 'It belongs to the sandbox: give it to Sandbox.create.'],
    [{ seccomp: 'strict' }, 'give it to Sandbox.create.'],
    [{ seccompAction: 'kill' }, 'give it to Sandbox.create.'],
    [{ engine }, 'give it to Sandbox.create.'],
    [{ mounts: [] }, 'Give it to Engine.open, and that engine to Sandbox.create.'],
  ])('case %# is refused by run and spawn, with its place', (value, hint) => {
    for (const validate of [validateRun, validateProgram]) {
      expect(options(value, validate)).toMatchObject({
        rule: 'unknown-key',
        hint: expect.stringContaining(hint),
      });
    }
  });
});

describe('pipes', () => {
  const pipes = [
    [{ stdin: 'pipe' }, '.stdin'],
    [{ stdout: 'pipe' }, '.stdout'],
    [{ stderr: 'pipe' }, '.stderr'],
    [{ fds: { 3: { input: 'pipe' } } }, '.fds[3].input'],
    [{ fds: { 4: { output: 'pipe' } } }, '.fds[4].output'],
  ] as const;

  it.each(pipes)('case %# is for spawn only', (value, path) => {
    expect(options(value, validateProgram)).toBeNull();
    for (const validate of [validateOneShot, validateRun]) {
      const error = options(value, validate);
      expect([error?.field, error?.rule]).toEqual([`options${path}`, 'not-here']);
      expect(error?.hint).toContain('spawn');
    }
  });
});

describe('a living program in a fresh sandbox', () => {
  it('has pipes, files, copyOut and a shape', () => {
    const all = {
      stdin: 'pipe',
      stdout: 'pipe',
      files: { f: 'x' },
      copyOut: ['f'],
      network: 'loopback',
      engine,
    };
    expect(options(all, validateOneShotSpawn)).toBeNull();
    const neverCalled = { field: 'options.onStdout', rule: 'conflict' };
    expect(options({ stdout: 'pipe', onStdout() {} }, validateOneShotSpawn)).toMatchObject(neverCalled);
    expect(options({ pty: {}, onStdout() {} }, validateOneShotSpawn)).toMatchObject(neverCalled);
    const collected = { pty: { capture: { maxBytes: 1 } }, onStdout() {} };
    expect(options(collected, validateOneShotSpawn)).toBeNull();
  });
});

describe('the shape of the sandbox', () => {
  it.each<[object]>([
    [{ network: false, seccomp: 'strict', seccompAction: 'kill' }],
    [{ network: 'loopback', engine }],
    [{ limits: { diskBytes: 8192, diskFileCount: null } }],
  ])('case %# belongs to fresh sandboxes', (value) => {
    expect(options(value, validateOneShot)).toBeNull();
    expect(errorOf(() => validateSandboxOptions(value))).toBeNull();
    expect(options(value, validateRun)).not.toBeNull();
    expect(options(value, validateProgram)).not.toBeNull();
  });

  it.each<[object, string]>([
    [{ network: true }, '.network'],
    [{ network: 'host' }, '.network'],
    [{ seccomp: 'none' }, '.seccomp'],
    [{ seccompAction: null }, '.seccompAction'],
    [{ engine: {} }, '.engine'],
    [{ engine: null }, '.engine'],
  ])('case %# is refused', (value, path) => {
    expect(options(value)?.field).toBe(`options${path}`);
    expect(errorOf(() => validateSandboxOptions(value))?.field).toBe(`options${path}`);
  });
});

describe('options of Sandbox.create', () => {
  it.each<[unknown]>([
    [undefined],
    [{}],
    [{ env: { A: 'b' }, files: { a: 'x' }, signal: AbortSignal.timeout(1e6), limits: { cpuTimeMs: 5 } }],
  ])('case %# is fine', (value) => {
    expect(errorOf(() => validateSandboxOptions(value))).toBeNull();
  });

  it.each<[unknown, string]>([
    [null, ''],
    [{ stdin: 'empty' }, '.stdin'],
    [{ cwd: '/' }, '.cwd'],
    [{ files: { '..': '' } }, '.files[".."]'],
    [
      { env: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`V${n}`, 'x'.repeat(120_000)])) },
      '.env',
    ],
  ])('case %# is refused', (value, path) => {
    expect(errorOf(() => validateSandboxOptions(value))?.field).toBe(`options${path}`);
  });
});
