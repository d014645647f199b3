import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { ChunkSource } from './chunk-source.js';

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const chunks = new ChunkSource(source);
  const got: T[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) got.push(next.value);
  await chunks.close();
  return got;
}

it('gives what a source gives, whatever its kind, and leaves it free', async () => {
  expect(await all(Readable.from(['a', 'b']))).toEqual(['a', 'b']);
  const web = new Response('ab').body!;
  expect(Buffer.concat(await all(web as unknown as AsyncIterable<Uint8Array>)).toString()).toBe('ab');
  expect(web.locked).toBe(false);
  async function* generator() {
    yield 1;
    yield 2;
  }
  expect(await all(generator())).toEqual([1, 2]);
});

it('passes on what a source throws, and a stream that another reads', async () => {
  const fails = Readable.from([]);
  fails.destroy(new Error('of the source'));
  await expect(all(fails)).rejects.toThrow('of the source');
  const taken = new Response('x').body!;
  taken.getReader();
  await expect(all(taken as unknown as AsyncIterable<Uint8Array>)).rejects.toThrow(TypeError);
});

it('waits for the end of a generator that owes nothing', async () => {
  const events: string[] = [];
  async function* generator() {
    try {
      yield 1;
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 5));
      events.push('cleaned up');
    }
  }
  const chunks = new ChunkSource(generator());
  await chunks.next();
  await chunks.close();
  await chunks.close();
  expect(events).toEqual(['cleaned up']);
});

it('asks for nothing when it is closed first', async () => {
  let asked = false;
  const source = {
    [Symbol.asyncIterator]: () => {
      asked = true;
      return { next: async () => ({ done: true as const, value: undefined }) };
    },
  };
  await new ChunkSource(source).close();
  expect(asked).toBe(false);
});
