import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort, unlessAborted } from './abort.js';

it('has one listener however many share a signal, and none when all have left', () => {
  const { signal } = new AbortController();
  const releases = Array.from({ length: 100 }, () => onAbort(signal, () => undefined));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const release of releases) release();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('calls each work once, and none that was released', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const work = () => void called.push('twice');
  onAbort(controller.signal, work);
  onAbort(controller.signal, work);
  const release = onAbort(controller.signal, () => void called.push('released before'));
  onAbort(controller.signal, () => later());
  const later = onAbort(controller.signal, () => void called.push('released by another'));
  release();
  controller.abort();
  expect(called).toEqual(['twice', 'twice']);
  release();
});

it('does not wait for work that is not wanted any more, and gives back what comes of it', async () => {
  const controller = new AbortController();
  const undone: string[] = [];
  let finish = (_made: string) => {};
  const work = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const waiting = unlessAborted(work, controller.signal, (made) => void undone.push(made));
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(unlessAborted(work, controller.signal)).rejects.toThrow('enough');
  finish('late');
  await work;
  expect(undone).toEqual(['late']);
});

it('is the work itself where nobody aborts', async () => {
  const { signal } = new AbortController();
  await expect(unlessAborted(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
