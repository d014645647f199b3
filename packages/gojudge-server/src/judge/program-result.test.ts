import { expect, it } from 'vitest';
import { noteFileError, nothingCollected, notStarted } from './program-result.js';

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
