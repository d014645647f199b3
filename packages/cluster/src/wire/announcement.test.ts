import { FEATURES } from '@sbx/core';
import { expect, test } from 'vitest';
import { worker } from '../testing/worker.js';
import { decodeAnnouncement, encodeAnnouncement, placesOf } from './announcement.js';

const FEATURE = { available: true, mechanism: null, reason: null };

function featuresOf(told: object) {
  const { info, ...rest } = worker({});
  return decodeAnnouncement(encodeAnnouncement({ ...rest, info: { ...info, features: told as never } }))?.info
    .features;
}

test('a worker whose version knows fewer guarantees is a worker, without the others', () => {
  const [first, ...others] = FEATURES;
  const features = featuresOf({ [first]: FEATURE });
  expect(features?.[first]).toEqual(FEATURE);
  for (const name of others) expect(features?.[name]).toMatchObject({ available: false });
});

test('a worker whose version knows more guarantees is a worker', () => {
  const all = Object.fromEntries(FEATURES.map((name) => [name, FEATURE]));
  expect(featuresOf({ ...all, 'of-tomorrow': FEATURE })).toEqual(all);
});

test('names that every object has are none of a guarantee', () => {
  expect(featuresOf(JSON.parse('{"__proto__":{"available":true}}'))?.seccomp).toMatchObject({
    available: false,
  });
});

test('one of megabytes is none, and workers have no more places than the queue gives jobs for', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`${index}`, 'x'.repeat(256)]),
  );
  expect(decodeAnnouncement(encodeAnnouncement(worker({ labels })))).toBeNull();
  const many = Array.from({ length: 100 }, (_, index) => worker({ name: `w${index}`, slots: 4096 }));
  expect(placesOf(many)).toBe(65_536);
});

test('what is nested in a mount is passed over: nothing could write it again', () => {
  const { info, ...rest } = worker({});
  const row = { kind: 'bind', source: '/usr', writable: false };
  const text = JSON.stringify({ ...rest, info: { ...info, mounts: [{ ...row, deep: 'DEEP' }] } });
  const deep = text.replace('"DEEP"', '['.repeat(50_000) + ']'.repeat(50_000));
  const told = decodeAnnouncement(Buffer.from(deep));
  expect(told?.info.mounts).toEqual([row]);
  expect(() => JSON.stringify(told)).not.toThrow();
});
