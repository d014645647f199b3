// What is wrong with pipes and terminals, in go-judge's words.
import { expect, test } from 'vitest';
import type { Job, JobPipe } from './job.js';
import { checkDescriptors } from './prepare.js';

type Files = readonly (string | null)[];

const OUT = 'collector';

/** `programs`: the kind of each descriptor. A pipe is from `[program, descriptor]` to the same. */
function problem(
  programs: readonly Files[],
  pipes: readonly (readonly [[number, number], [number, number]])[] = [],
  tty = false,
): string | null {
  const job = {
    programs: programs.map((files) => ({ tty, files: files.map((kind) => kind && { kind }) })),
    pipes: pipes.map(([writer, reader]) => ({ writer: end(writer), reader: end(reader) })),
  };
  try {
    checkDescriptors(job as unknown as Job);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const end = ([index, fd]: [number, number]): JobPipe['writer'] => ({ index, fd });

test('pipes may fill every gap', () => {
  expect(
    problem(
      [
        ['content', null],
        [null, OUT],
      ],
      [
        [
          [0, 1],
          [1, 0],
        ],
      ],
    ),
  ).toBe(null);
});

test.each<[string, Parameters<typeof problem>, string]>([
  [
    'a program that is not there',
    [
      [[OUT], [OUT]],
      [
        [
          [2, 1],
          [1, 0],
        ],
      ],
    ],
    'pipe: index out of range 2',
  ],
  [
    'an end that is taken already',
    [
      [
        ['content', null],
        [null, OUT],
      ],
      [
        [
          [0, 1],
          [1, 0],
        ],
        [
          [0, 1],
          [1, 3],
        ],
      ],
    ],
    'pipe: mapping to existing file descriptor: in 0/1',
  ],
  [
    'a descriptor that is a file',
    [
      [[OUT], [OUT]],
      [
        [
          [0, 0],
          [1, 1],
        ],
      ],
    ],
    'pipe: fd already occupied 0 0',
  ],
  ['a gap of files', [[[OUT], [null, OUT]]], 'null file for index/fd: 1/0'],
  [
    'a gap below a pipe',
    [
      [['content'], [null]],
      [
        [
          [0, 2],
          [1, 0],
        ],
      ],
    ],
    'null file for index/fd: 0/1',
  ],
  [
    'two inputs on a terminal of a group',
    [[['content', 'stream-in'], [OUT]], [], true],
    'prepare fds: prepareCmdFd: tty: multiple input not allowed',
  ],
  ['two inputs on a terminal', [[['content', 'content']], [], true], 'tty: multiple input not allowed'],
])('%s', (_what, asked, message) => {
  expect(problem(...asked)).toBe(message);
});

test('a gap of a program alone is found when it is planned', () => {
  expect(problem([[null, OUT]])).toBe(null);
});
