/** Each guarantee in words: for `sbx doctor` and the console, which say the same. */
import type { Feature } from '@sbx/core';

/** What is said of a guarantee, whether it holds or not. */
export interface GuaranteeFacts {
  /** By default, of an engine that opens. */
  required: boolean;
  why: string;
  /** Where it is decided: who must be asked to change it. */
  layer: 'cgroup' | 'engine' | 'kernel' | 'seccomp';
  /** Where no other check says it. */
  fix?: string;
}

/** Why each guarantee matters, and whether an engine requires it when it is not told otherwise. */
export const GUARANTEE_FACTS: Readonly<Record<Feature, GuaranteeFacts>> = {
  'cpu-accounting': {
    required: true,
    layer: 'cgroup',
    why: 'CPU time of all processes, also of those that have ended.',
  },
  'memory-limit': {
    required: true,
    layer: 'cgroup',
    why: 'A memory hog is stopped, however many processes it is.',
  },
  'kernel-memory-limit': {
    required: false,
    layer: 'kernel',
    why: 'What the kernel holds for a program (files, pipes, sockets, page tables) counts towards its memory limit.',
    fix: 'Mend the rows above that are missing, and start the kernel without cgroup.memory=nokmem and nosocket.',
  },
  'memory-peak': {
    required: false,
    layer: 'cgroup',
    why: 'The most memory used is exact in every result.',
    fix: 'Mend the rows above that are missing. cgroup v2 has it from Linux 5.19 on.',
  },
  'swap-limit': { required: false, layer: 'cgroup', why: 'Memory swapped out counts as memory.' },
  'process-limit': { required: true, layer: 'cgroup', why: 'A fork bomb stops at the limit.' },
  'process-peak': {
    required: false,
    layer: 'cgroup',
    why: 'The most processes at once are in every result.',
    fix: 'Mend the rows above that are missing. cgroup v2 has it from Linux 6.1 on.',
  },
  'cpu-rate': { required: false, layer: 'cgroup', why: 'A program can be given a share of a CPU.' },
  'cpu-weight': {
    required: false,
    layer: 'cgroup',
    why: 'A program can have more or less of a busy CPU than others.',
  },
  'cpu-set': { required: false, layer: 'cgroup', why: 'A program can be kept to certain CPUs.' },
  'distinct-users': {
    required: false,
    layer: 'engine',
    why: 'Budgets of the kernel per user are not shared between sandboxes.',
    fix: 'Run as root.',
  },
  'private-proc': {
    required: true,
    layer: 'kernel',
    why: '/proc shows nothing but the processes of the sandbox.',
  },
  seccomp: { required: true, layer: 'seccomp', why: 'Dangerous system calls are refused.' },
  landlock: {
    required: false,
    layer: 'kernel',
    why: 'A second wall around files, on wherever the kernel has it.',
    fix: 'Linux 5.19 or newer, with landlock among the security modules of its command line (lsm=).',
  },
  'core-scheduling': {
    required: false,
    layer: 'kernel',
    why: 'Sandboxes share no core with others, for engines that ask for it.',
    fix: 'A kernel with CONFIG_SCHED_CORE on a machine with hyper-threads.',
  },
};
