import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { coreLimit, usableCpus } from './kernel.js';

it.each([
  ['|/usr/share/apport/apport -p%p', 1],
  ['|/usr/lib/systemd/systemd-coredump %P', 1],
  ['@/run/coredump.socket', 0],
  ['@@/run/coredump.socket', 0],
  ['core', 1],
  ['/var/crash/core.%p', 1],
  ['', 1],
])('the limit of core dumps with the pattern %j', (pattern, expected) => {
  expect(coreLimit(`${pattern}\n`)).toBe(expected);
});

const online = readFileSync('/sys/devices/system/cpu/online', 'utf8').trim();

it.each([
  ['those of a container', '0,2-4', 4],
  ['all that are on, where its file cannot be read', null, usableCpus(null)],
  ['all that are on, where its file is empty', '', usableCpus(null)],
])('CPUs of a program without a set: %s', (_, text, expected) => {
  const allCpus = () => text ?? readFileSync('/proc/self/none', 'utf8');
  expect(usableCpus({ hasController: (name) => name === 'cpuset', allCpus })).toBe(expected);
});

it('CPUs of a program without a set, where no cgroup tells: all that are on', () => {
  const last = Number(/\d+$/.exec(online)![0]);
  expect(usableCpus(null)).toBeGreaterThan(0);
  expect(usableCpus(null)).toBeLessThanOrEqual(last + 1);
  expect(usableCpus({ hasController: () => false, allCpus: () => '0' })).toBe(usableCpus(null));
});
