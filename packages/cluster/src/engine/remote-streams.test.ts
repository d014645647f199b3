import { expect, it } from 'vitest';
import { RemoteOutput } from './remote-streams.js';

function output(...chunks: string[]) {
  const stream = new RemoteOutput(() => undefined);
  for (const chunk of chunks) void stream.push(Buffer.from(chunk));
  return stream;
}

it('lines go on from chunk to chunk; what follows a line stays', async () => {
  const stream = output('a', 'b\nc\n\nd', '\nleft', ' over');
  const seen: string[] = [];
  for await (const line of stream.lines()) if (seen.push(line) === 4) break;
  expect(seen).toEqual(['ab', 'c', '', 'd']);
  stream.finish();
  expect(await stream.text()).toBe('left over');
});

it('a line that never ends costs no more per byte than others', async () => {
  const chunk = 'x'.repeat(64 * 1024);
  const stream = output(...Array<string>(1024).fill(chunk));
  stream.finish();
  const startedAt = performance.now();
  expect((await stream.lines().next()).value?.length).toBe(64 * 2 ** 20);
  expect(performance.now() - startedAt).toBeLessThan(5000); // 20 s with a copy of the line for each chunk
});

it('one that is read beside others is given back, with what has not been read', async () => {
  const stream = output('a', 'b');
  let woken = 0;
  const open = stream.open(() => {
    woken += 1;
  });
  expect(() => stream.open(() => undefined)).toThrow('already has a reader');
  expect(String(open.read())).toBe('a');
  void stream.push(Buffer.from('c'));
  expect(woken).toBe(1);
  open.close();
  stream.finish();
  expect([woken, await stream.text()]).toEqual([1, 'bc']);
});

it('one whose worker is gone gives what has come, and then the error', async () => {
  const seen: string[] = [];
  const stream = output('a', 'b');
  stream.finish(new Error('gone'));
  const reading = (async () => {
    for await (const chunk of stream) seen.push(String(chunk));
  })();
  await expect(reading).rejects.toThrow('gone');
  expect(seen).toEqual(['a', 'b']);
  const beside = output('a');
  const open = beside.open(() => undefined);
  beside.finish(new Error('gone'));
  expect(String(open.read())).toBe('a');
  expect(() => open.read()).toThrow('gone');
});

it('what ended by itself has no error, whatever comes after', async () => {
  const stream = output('a');
  stream.finish();
  stream.finish(new Error('gone'));
  expect(await stream.text()).toBe('a');
});
