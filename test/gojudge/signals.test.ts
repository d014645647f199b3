// The number of the signal that ended a program, whichever it was.
import { expect, test } from 'vitest';
import { cmd, post, useServer } from './server.js';

const server = useServer();

test('real-time signals keep their numbers', async () => {
  const numbers = Array.from({ length: 33 }, (_, index) => 32 + index);
  const ended = await Promise.all(
    numbers.map(async (number) => {
      const response = await post(server.url, { cmd: [cmd(['/bin/sh', '-c', `kill -${number} $$`])] });
      const [result] = (await response.json()) as { status: string; exitStatus: number }[];
      return [result!.status, result!.exitStatus];
    }),
  );
  expect(ended).toEqual(numbers.map((number) => ['Signalled', number]));
});
