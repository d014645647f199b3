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

it('suggests nothing that is far', () => {
  const far = { ...schema, shape: { host: 0 } };
  expect(() => checkOptions(far, {})).toThrow(/is no option\.$/);
});
