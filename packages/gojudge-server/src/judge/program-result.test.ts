import { expect, it } from 'vitest';
import type { JobProgram } from './job.js';
import { killedAtOnce, noteFileError, nothingCollected, notStarted } from './program-result.js';

it('of several problems with files the first decides, one to open a file last', () => {
  const collected = nothingCollected();
  noteFileError(collected, 'a', 'CopyOutOpen', 'no such file');
  expect(collected.failure).toMatchObject({ status: 'File Error', error: 'no such file' });
  noteFileError(collected, 'b', 'CollectSizeExceeded', 'too large');
  expect(collected.failure).toMatchObject({ status: 'Output Limit Exceeded', error: 'too large' });
  noteFileError(collected, 'c', 'CopyOutNotRegularFile', 'a folder');
  expect(collected.failure).toMatchObject({ status: 'Output Limit Exceeded', error: 'too large' });
  expect(collected.fileErrors.map(({ name, type }) => [name, type])).toEqual([
    ['a', 'CopyOutOpen'],
    ['b', 'CollectSizeExceeded'],
    ['c', 'CopyOutNotRegularFile'],
  ]);
});

it('a program that was not started has used nothing', () => {
  expect(notStarted('Internal Error', 'why')).toEqual({
    status: 'Internal Error',
    exitStatus: 0,
    error: 'why',
    timeNs: 0,
    memoryBytes: 0,
    runTimeNs: 0,
    processPeak: 0,
    files: new Map(),
    fileIds: new Map(),
    fileErrors: [],
  });
});

it.each([
  [5, 'Signalled'],
  [0, 'Time Limit Exceeded'],
])('one that was cancelled before it began, with a clock limit of %i, is %s', (explicitClockNs, status) => {
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
