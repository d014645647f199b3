import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { validateOneShot, validateProgram, validateRun, validateSandboxOptions } from './program.js';

function errorOf(validate: () => void): InvalidOptionsError | null {
  try {
    validate();
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const options = (value: unknown, validate = validateOneShot) =>
  errorOf(() => validate('/bin/true', [], value));

describe('options of run', () => {
  it.each<[object]>([
    [{ files: { 'main.py': 'print()', 'a/b': new Uint8Array(3), c: { text: '', executable: true } } }],
    [{ files: { './x//y': { hostFile: '/etc/hostname', mode: 0o600 }, z: { fd: 3 } } }],
    [{ files: JSON.parse('{"__proto__": "x", "constructor": "y"}') }],
    [{ copyOut: [], copyOutMaxBytes: 0 }],
    [{ copyOut: ['out.txt', { path: 'a/b', optional: true, maxBytes: 10 }] }],
    [{ copyOut: ['/tmp/x', { path: '/w/y', optional: 'any', truncate: true, as: 'fd' }] }],
    [{ files: { '/tmp/a': 'x', '/w/b': { symlink: '/anywhere/../else' } } }],
    [{ onStdout() {}, onStderr: async () => {} }],
    [{ onStdout() {}, stdout: 'capture', stderr: 'null' }],
    [{ onStdout() {}, pty: {} }],
  ])('case %# is fine', (value) => {
    expect(options(value, validateRun)).toBeNull();
    expect(options(value, validateOneShot)).toBeNull();
    expect(options(value, validateProgram)?.rule).toBe('unknown-key');
  });

  it.each<[object, string, string]>([
    [{ files: [] }, '.files', 'type'],
    [{ files: new Map() }, '.files', 'type'],
    [{ files: { '': 'x' } }, '.files[""]', 'format'],
    [{ files: { '/w/../a': 'x' } }, '.files["/w/../a"]', 'format'],
    [{ files: { a: { symlink: '' } } }, '.files.a.symlink', 'format'],
    [{ files: { a: { symlink: 'x', mode: 0o644 } } }, '.files.a.mode', 'conflict'],
    [{ files: { a: { symlink: 'x', text: '' } } }, '.files.a', 'conflict'],
    [{ files: { '../a': 'x' } }, '.files["../a"]', 'format'],
    [{ files: { 'a\0b': 'x' } }, '.files["a\\u0000b"]', 'nul'],
    [{ files: { 'a\ud800': 'x', 'a\ud801': 'y' } }, '.files["a\\ud800"]', 'format'],
    [{ files: { a: { symlink: '\udc00' } } }, '.files.a.symlink', 'format'],
    [{ files: { a: { hostFile: '\udc00' } } }, '.files.a.hostFile', 'format'],
    [{ files: { a: 5 } }, '.files.a', 'type'],
    [{ files: { a: undefined } }, '.files.a', 'type'],
    [{ files: { a: {} } }, '.files.a', 'required'],
    [{ files: { a: { text: 'x', fd: 1 } } }, '.files.a', 'conflict'],
    [{ files: { a: { text: 'x', mode: 755 } } }, '.files.a.mode', 'range'],
    [{ files: { a: { text: 'x', mode: 0o4755 } } }, '.files.a.mode', 'range'],
    [{ files: { a: { text: 'x', mode: '755' } } }, '.files.a.mode', 'type'],
    [{ files: { a: { text: 'x', executable: 1 } } }, '.files.a.executable', 'type'],
    [{ files: { a: { content: 'x' } } }, '.files.a.content', 'unknown-key'],
    [{ copyOut: 'out' }, '.copyOut', 'type'],
    [{ copyOut: ['ok', '/etc/../passwd'] }, '.copyOut[1]', 'format'],
    [{ copyOut: [{ path: 'a', optional: 'all' }] }, '.copyOut[0].optional', 'choice'],
    [{ copyOut: [{ path: 'a', as: 'text' }] }, '.copyOut[0].as', 'choice'],
    [{ copyOut: [{ path: 'a', truncate: 1 }] }, '.copyOut[0].truncate', 'type'],
    [{ copyOut: ['.'] }, '.copyOut[0]', 'format'],
    [{ copyOut: [5] }, '.copyOut[0]', 'type'],
    [{ copyOut: [{ optional: true }] }, '.copyOut[0].path', 'required'],
    [{ copyOut: [{ path: 'a', maxBytes: -1 }] }, '.copyOut[0].maxBytes', 'range'],
    [{ copyOut: Array(65_537).fill('a') }, '.copyOut', 'size'],
    [{ copyOutMaxBytes: null }, '.copyOutMaxBytes', 'type'],
    [{ onStdout: 'x' }, '.onStdout', 'type'],
    [{ onStdout() {}, stdout: 'null' }, '.onStdout', 'conflict'],
    [{ onStdout() {}, stdout: { file: 'x' } }, '.onStdout', 'conflict'],
    [{ onStderr() {}, stderr: 'stdout' }, '.onStderr', 'conflict'],
    [{ onStderr() {}, pty: {} }, '.onStderr', 'conflict'],
  ])('case %# is refused', (value, path, rule) => {
    for (const validate of [validateOneShot, validateRun]) {
      const error = options(value, validate);
      expect([error?.field, error?.rule]).toEqual([`options${path}`, rule]);
    }
  });

  it('a decimal mode is told its octal', () => {
    expect(options({ files: { a: { text: '', mode: 755 } } })?.hint).toBe('Write it in octal: 0o755.');
  });

  it.each(['/project', new URL('file:///project')])(
    'a workspace that is a path is told what to give',
    (workspace) => {
      const hint = /\{ hostFile: path \}, for a folder spawn\('tar'/;
      expect(() => validateSandboxOptions({ workspace })).toThrow(hint);
    },
  );

  it('bytes that went through JSON are told from text', () => {
    const bytes = JSON.parse(JSON.stringify(new Uint8Array(3)));
    expect(options({ files: { a: { bytes } } })?.hint).toContain('JSON');
    expect(options({ files: { a: { bytes: 'text' } } })?.hint).toContain('{ text: … }');
  });

  it('a getter among the files is refused', () => {
    const files = {
      get a() {
        return 'x';
      },
    };
    expect(options({ files })?.field).toBe('options.files.a');
  });
});
