import { executeSchema } from '@sbx/fathom-client/schemas';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../options.js';
import { fieldsOf, readRequest } from './request.js';

const RULES = {
  execute: fieldsOf(executeSchema(parseOptions({ codeBytesMax: 20 }))),
  languages: new Set(['python', 'shell']),
};
const HEAD = { v: 1, ts: '2025-12-27T11:30:00.000Z', id: 'a' };
const EXECUTE = {
  ...HEAD,
  type: 'execute',
  language: 'python',
  code: 'print(1)',
  limits: { timeout_ms: 1000, memory_mb: 64 },
};
const LARGE = { code: 'x'.repeat(21) };

const read = (message: unknown) => readRequest(JSON.stringify(message), RULES, (id) => id === 'taken');

test('what is right goes on as it came', () => {
  expect(read(EXECUTE)).toEqual({ kind: 'execute', message: EXECUTE });
  expect(read({ ...HEAD, type: 'cancel' })).toMatchObject({ kind: 'cancel', message: { id: 'a' } });
  expect(read({ ...HEAD, type: 'ping' })).toEqual({ kind: 'ping', id: 'a' });
  expect(read({ ...HEAD, id: undefined, type: 'ping' })).toEqual({ kind: 'ping' });
});

describe('the first rule that is broken is told', () => {
  test.each(['', '[]', 'null', '7', '{'])('no object: %j', (text) => {
    const refused = readRequest(text, RULES, () => false);
    expect(refused).toMatchObject({ kind: 'refused', message: 'A message must be a JSON object.' });
    expect(refused).not.toHaveProperty('id');
  });

  test.each<[why: string, field: string, wrong: object]>([
    ['another version', 'v', { v: 2, type: 'nothing', ts: 7 }],
    ['no type', 'type', { type: 'nothing', ts: 7 }],
    ['a type of the server', 'type', { type: 'result' }],
    ['no time', 'ts', { ts: 'yesterday', id: '' }],
    ['an empty id', 'id', { id: '', code: 7 }],
    ['a long id', 'id', { id: 'x'.repeat(1000) }],
    ['an id in use', 'id', { id: 'taken', code: 7 }],
    ['a type before the language', 'code', { code: 7, language: 'none' }],
    ['a type before a size', 'limits.memory_mb', { ...LARGE, limits: { timeout_ms: 1, memory_mb: '1' } }],
    ['a size before a range', 'code', { ...LARGE, limits: { timeout_ms: 0, memory_mb: 64 } }],
    ['a range', 'limits.timeout_ms', { limits: { timeout_ms: 0, memory_mb: 64 } }],
    ['the name of a variable, not repeated', 'env', { env: { 'SECRET=': 'x' } }],
    [
      'too many variables',
      'env',
      { env: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`V${at}`, ''])) },
    ],
  ])('%s: %s', (_why, field, wrong) => {
    const refused = read({ ...EXECUTE, ...wrong });
    expect(refused).toMatchObject({ kind: 'refused', code: 'INVALID_REQUEST' });
    const { message } = refused as { message: string };
    expect(message.split(':')[0]).toBe(field);
    expect(message).not.toMatch(/SECRET/);
  });

  test('a name that an object has anyway', () => {
    const text = JSON.stringify(EXECUTE).replace('"code"', '"env":{"__proto__":"x"},"code"');
    expect(readRequest(text, RULES, () => false)).toMatchObject({
      message: 'env: must not have the name __proto__',
    });
  });
});

test('an id that cannot be given back is not', () => {
  for (const id of ['', 7, '\ud800', 'x'.repeat(1000)])
    expect(read({ ...EXECUTE, id })).not.toHaveProperty('id');
  expect(read({ ...EXECUTE, code: 7 })).toMatchObject({ id: 'a' });
});

describe('a language that is not on offer', () => {
  test.each([
    ['ruby', "Language 'ruby' is not available"],
    ['PYTHON', "Language 'PYTHON' is not available"],
    ['\u001b[2J', 'Language of that name is not available'],
    ['x'.repeat(65), 'Language of that name is not available'],
  ])('%j', (language, text) => {
    const refused = read({ ...EXECUTE, language });
    expect(refused).toMatchObject({ kind: 'refused', id: 'a', code: 'LANGUAGE_NOT_SUPPORTED' });
    expect((refused as { message: string }).message).toBe(
      `language: ${text} in this sandbox; available are python, shell`,
    );
  });
});
