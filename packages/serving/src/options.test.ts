import { expect, it } from 'vitest';
import { checkOptions } from './options.js';

/** As zod refuses a key of a strict object. */
const schema = {
  shape: { host: 0, port: 0, parallelism: 0 },
  safeParse: () => ({
    success: false as const,
    error: { issues: [{ code: 'unrecognized_keys', keys: ['paralelism'], message: 'is no option' }] },
  }),
};

it('says which option was meant', () => {
  expect(() => checkOptions(schema, {})).toThrow(
    'options.paralelism is no option. Did you mean parallelism?',
  );
});

it('also of an object within them, which may be absent', () => {
  const limits = { unwrap: () => ({ unwrap: () => ({ shape: { openFileCount: 0, fileBytes: 0 } }) }) };
  const issue = {
    code: 'unrecognized_keys',
    path: ['limits'],
    keys: ['openFilesCount'],
    message: 'is no option',
  };
  const outer = {
    shape: { limits },
    safeParse: () => ({ success: false as const, error: { issues: [issue] } }),
  };
  expect(() => checkOptions(outer, {})).toThrow(
    'options.limits.openFilesCount is no option. Did you mean openFileCount?',
  );
});

it.each([
  ['concurrency', { parallelism: 0 }, 'is no option. Give parallelism.'],
  ['auth', { authToken: 0, token: 0 }, 'is no option. Give token.'], // a former name is nearer
  ['cors', { host: 0 }, 'is no option.'],
])('knows that %s is called otherwise here, where there is such an option', (key, shape, told) => {
  const issues = [{ code: 'unrecognized_keys', keys: [key], message: 'is no option' }];
  const others = { shape, safeParse: () => ({ success: false as const, error: { issues } }) };
  const message = `options.${key} ${told}`;
  expect(() => checkOptions(others, {})).toThrow(expect.objectContaining({ message }));
});

it('suggests nothing that is far', () => {
  const far = { ...schema, shape: { host: 0 } };
  expect(() => checkOptions(far, {})).toThrow(/is no option\.$/);
});
