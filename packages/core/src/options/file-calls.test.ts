import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import {
  validateAppendFile,
  validateCopyFile,
  validateFiles,
  validateMkdir,
  validateMode,
  validateReaddir,
  validateReadFile,
  validateRm,
  validateWriteFile,
} from './file-calls.js';

const refusal = (call: () => void): InvalidOptionsError => {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('files of a living sandbox', () => {
  it.each([
    ['text', 'a'],
    ['bytes', Uint8Array.of(1)],
    ['a stream', (async function* () {})()],
    ['a web stream', new Blob(['a']).stream()],
    ['content', { text: 'a', executable: true }],
    ['a link', { symlink: 'a' }],
  ])('%s can be written', (_, data) => {
    expect(() => validateWriteFile(data, { mode: 0o600 })).not.toThrow();
  });

  it.each([
    [() => validateWriteFile(5, {}), 'data', /a string, a Uint8Array or/],
    [() => validateWriteFile(undefined, {}), 'data', /a string, a Uint8Array or/],
    [() => validateWriteFile({ a: 1 }, {}), 'data.a', /is not a key of a file\. .*JSON\.stringify\(value\)/],
    [() => validateWriteFile([1], {}), 'data', /JSON\.stringify\(value\)/],
    [() => validateWriteFile({ text: 'a', size: 1 }, {}), 'data.size', /is not a key of a file\. Known keys/],
    [() => validateWriteFile(new DataView(new ArrayBuffer(2)), {}), 'data', /data\.byteOffset/],
    [() => validateWriteFile(new Response('a'), {}), 'data', /Give its body/],
    [() => validateWriteFile({ hostFile: new URL('file:///a') }, {}), 'data.hostFile', /fileURLToPath/],
    [() => validateWriteFile(new ArrayBuffer(2), {}), 'data', /new Uint8Array/],
    [() => validateWriteFile(new Blob(['a']), {}), 'data', /stream\(\)/],
    [() => validateWriteFile('a', 'latin1'), 'options', /UTF-8/],
    [() => validateWriteFile('a', { flag: 'a' }), 'options.flag', /call appendFile/],
    [() => validateWriteFile('a', { append: true }), 'options.append', /call appendFile/],
    [() => validateWriteFile('a', { mode: 644 }), 'options.mode', /0o644/],
    [() => validateAppendFile({ symlink: 'a' }, {}), 'data.symlink', /must be left out/],
    [() => validateAppendFile('a', 'latin1'), 'options', /UTF-8/],
    [() => validateCopyFile(5, 'b', {}), 'from', /must be a path/],
    [() => validateCopyFile('a', '../b', {}), 'to', /'\.\.' part/],
    [() => validateCopyFile('a', 'b', 1), 'options', /is replaced; look with exists/],
    [() => validateCopyFile('a', 'b', { recursive: true }), 'options.recursive', /cp -a/],
    [() => validateFiles(['a']), 'files', /an object of path: content/],
    [() => validateReadFile('utf8'), 'options', /readTextFile/],
    [() => validateReadFile({ encoding: 'utf8' }), 'options.encoding', /readTextFile/],
    [() => validateReadFile({ maxBytes: -1 }), 'options.maxBytes', /from 0/],
    [() => validateReaddir({ recursive: 1 }), 'options.recursive', /true or false/],
    [() => validateMkdir({ recursive: 'yes' }), 'options.recursive', /true or false/],
    [() => validateRm({ force: true, recurse: true }), 'options.recurse', /Did you mean recursive/],
    [() => validateMode(755), 'mode', /0o755/],
    [() => validateMode('755'), 'mode', /0o644/],
    [() => validateMode(undefined), 'mode', /missing/],
  ])('%s is refused', (call, field, message) => {
    const error = refusal(call);
    expect(error.field).toBe(field);
    expect(error.message).toMatch(message);
  });

  it('folders may have the sticky bit', () => {
    expect(() => validateMkdir({ mode: 0o1777 })).not.toThrow();
    expect(() => validateMode(0o1777)).not.toThrow();
  });
});
