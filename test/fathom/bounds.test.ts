// What the clients of all connections together can make the server hold.
import { expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { Talk, useServer } from './server.js';

const MiB = 2 ** 20;
const served = useServer({ parallelism: 1, requestTotalBytes: 4 * MiB });

test('executions with large input are refused while others have the room, small ones are not', async () => {
  const talks = [await Talk.open(served.url), await Talk.open(served.url)] as const;
  const stdin = 'x'.repeat(1.5 * MiB);
  const [first, second] = talks.map((talk) => talk.start({ code: 'sleep 60', stdin }));
  const third = talks[0].start({ code: 'sleep 60', stdin });
  expect(await talks[0].until(({ type }) => type === 'error')).toMatchObject({
    id: third,
    code: 'SANDBOX_OVERLOADED',
    message: 'The code and input of executions that wait or run take all the room there is.',
    retryable: true,
  });
  const small = talks[0].start({ code: 'echo small' });
  await talks[0].until(({ type, id }) => type === 'ack' && id === small);
  talks[0].cancel(first!);
  talks[1].cancel(second!);
  expect((await talks[0].fate(small)).stdout).toBe('small\n');
  await until(5000, 'there is room again', async () => {
    const { error, stdout } = await talks[1].run({ code: 'wc -c', stdin });
    return error === undefined && stdout.trim() === `${stdin.length}`;
  });
  for (const talk of talks) await talk.close();
});
