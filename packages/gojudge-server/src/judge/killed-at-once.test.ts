import { expect, it } from 'vitest';
import type { JobProgram } from './job.js';
import { killedAtOnce } from './killed-at-once.js';

it.each([
  [5, 'Signalled'],
  [0, 'Time Limit Exceeded'],
])('with a clock limit of %i, is %s', (explicitClockNs, status) => {
  const program = {
    limits: { explicitClockNs },
    files: [null, { kind: 'collector', name: 'stdout' }, { kind: 'collector', name: 'stored' }],
    cachedNames: new Set(['stored']),
  } as unknown as JobProgram;
  const result = killedAtOnce(program);
  expect(result).toMatchObject({ status, exitStatus: 9 });
  expect([...result.files.keys()]).toEqual(['stdout']);
  const onTerminal = { ...program, tty: true, files: [{ kind: 'stream-out' }, ...program.files] };
  expect(killedAtOnce(onTerminal as JobProgram).files.size).toBe(0);
});
