import { expect, it } from 'vitest';
import { REQUEST } from './request.js';

const run = (limits: object) => ({ kind: 'run', program: { file: '/bin/true', args: [], limits } });

it('takes limits by name', () => {
  expect(REQUEST.parse(run({ cpuTimeMs: 100, memoryBytes: null }))).toMatchObject({
    program: { limits: { cpuTimeMs: 100, memoryBytes: null } },
  });
});

it('counts limits before it looks at any: a hundred thousand that are none would hold the worker up', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, {}]));
  const { error } = REQUEST.safeParse(run(many));
  expect(error?.issues).toMatchObject([{ path: ['program', 'limits'] }]);
});
