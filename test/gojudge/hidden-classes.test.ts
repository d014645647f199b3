// On the path of a request every object has a hidden class that V8 has seen before. One that is new each time
// costs a microsecond wherever a property of it is used: with `{ ...first, more }` there were fifty such
// places on Node 20.
import { expect, test } from 'vitest';
import { frequentMisses } from '../helpers/hidden-classes.js';
import { cmd, post } from './server.js';

async function ask(url: string, count: number, body: string): Promise<void> {
  const loop = async () => {
    for (let i = 0; i < count / 4; i++) expect(await (await post(url, body)).text()).toContain('Accepted');
  };
  await Promise.all(Array.from({ length: 4 }, loop));
}

test.each([
  ['of a program alone', cmd(['/bin/true'])],
  ['with files', { ...cmd(['/bin/true']), copyIn: { a: { content: 'x' } }, copyOut: ['a', 'b?'] }],
  [
    'with files that are kept',
    { ...cmd(['/bin/true']), copyIn: { a: { content: 'x' } }, copyOutCached: ['a'] },
  ],
])(
  'a server that has served some hundred requests %s makes no more of them',
  async (_, program) => {
    const body = JSON.stringify({ cmd: [program] });
    const misses = await frequentMisses({
      script: 'logged-server.mjs',
      work: (count, url) => ask(url, count, body),
    });
    expect(misses).toEqual([]);
  },
  60_000,
);
