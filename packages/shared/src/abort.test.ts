import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { onAbort } from './abort.js';

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
