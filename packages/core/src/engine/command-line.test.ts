import { expect, it } from 'vitest';
import { uncountedMemory } from './command-line.js';

const KERNEL = 'the kernel was started with cgroup.memory=nokmem and does not count its own objects';
const SOCKETS = 'the kernel was started with cgroup.memory=nosocket and does not count what waits in sockets';
const BOTH =
  'the kernel was started with cgroup.memory=nokmem,nosocket and does not count its own objects and what waits in sockets';

it.each<[line: string, v2: string | null, v1: string | null]>([
  ['', null, null],
  ['quiet root=/dev/sda1 ro', null, null],
  ['quiet cgroup.memory=nokmem ro', KERNEL, KERNEL],
  ['cgroup.memory=nosocket', SOCKETS, null],
  ['cgroup.memory=nosocket,nokmem', BOTH, KERNEL],
  ['cgroup.memory=nobpf,,nokmem,', KERNEL, KERNEL],
  ['cgroup.memory=nosocket quiet\tcgroup.memory=nokmem', BOTH, KERNEL],
  ['cgroup.memory="nosocket,nokmem" quiet', BOTH, KERNEL],
  ['"cgroup.memory=nokmem" quiet', KERNEL, KERNEL],
  ['dyndbg="file a.c +p" cgroup.memory=nokmem', KERNEL, KERNEL],
  ['cgroup.memory="nokmem', KERNEL, KERNEL],
  // Of another parameter, of init, or a word that the kernel does not know.
  ['cgroup.memory', null, null],
  ['cgroup.memory=', null, null],
  ['cgroup.memory=NOKMEM,nokmemory', null, null],
  ['xcgroup.memory=nokmem cgroup.memoryx=nokmem', null, null],
  ['note="of cgroup.memory=nokmem it is said"', null, null],
  ['quiet -- cgroup.memory=nokmem', null, null],
])('%j', (line, v2, v1) => {
  expect(uncountedMemory('v2', `${line}\n`)).toBe(v2);
  expect(uncountedMemory('v1', `${line}\n`)).toBe(v1);
});
