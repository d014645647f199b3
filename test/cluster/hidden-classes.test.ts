// As of a request to a go-judge server: with `{ ...first, more }`, and a signal of its own for each job, V8's
// caches missed 50 times for each job on Node 20.
import { expect, test } from 'vitest';
import { frequentMisses } from '../helpers/hidden-classes.js';
import { useNats } from './nats.js';

const nats = useNats();

test('worker and submitter make no more hidden classes after some hundred jobs', async () => {
  const misses = await frequentMisses({
    script: 'logged-cluster.mjs',
    args: [nats.url],
    work: (count, _first, say) => say(`${count}`),
  });
  expect(misses).toEqual([]);
}, 60_000);
