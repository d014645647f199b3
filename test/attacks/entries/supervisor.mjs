// Group G: the host process, its helpers, its pool.
import { openEverywhere } from '../scenarios/starting.mjs';
import {
  blockLoop,
  copyMuch,
  endTogether,
  forgeOutput,
  killServer,
  reusePids,
  runMany,
  terminateServer,
  tinyLimits,
} from '../scenarios/supervisor.mjs';

export const SUPERVISOR = [
  {
    id: 147,
    name: 'SIGKILL the server while 20 sandboxes burn, sleep and fork',
    expected: 'all dead within 1 s; groups gone at the next start',
    target: 'gojudge',
    attack: killServer,
  },
  {
    id: 148,
    name: 'SIGTERM the server with 20 running and 100 waiting',
    expected: 'answers or closed connections within the grace; nothing left',
    target: 'gojudge',
    attack: terminateServer,
  },
  {
    id: 149,
    name: 'block the loop of the host while a CPU limit runs out',
    expected: 'killed at 1.0 s of CPU time all the same',
    target: 'core',
    attack: blockLoop,
  },
  {
    id: 150,
    name: 'so little memory that init or a helper could be the victim',
    expected: 'MLE or refused; never a lost worker',
    attack: tinyLimits,
  },
  {
    id: 151,
    name: 'write into the control channel',
    expected: 'there is no such descriptor',
    cases: [{ c: 'forge-records' }, { c: 'forge-records', pty: true, title: 'with a terminal', quiet: true }],
  },
  {
    id: 152,
    name: 'imitate the supervisor’s records in output and exit code',
    expected: 'taken as plain output',
    attack: forgeOutput,
  },
  {
    id: 153,
    name: 'end 1,000 children at once; fail to start at each step; end beside a limit',
    expected: 'the right verdict, no false TLE',
    attack: endTogether,
  },
  {
    id: 154,
    name: 'have numbers of processes used again while runs are cancelled',
    expected: 'only own processes are signalled',
    attack: reusePids,
  },
  {
    id: 155,
    name: '64 runs at once on few CPUs, 20 rounds',
    expected: 'every verdict as when alone',
    target: 'core',
    attack: runMany,
  },
  {
    id: 156,
    name: 'poison the container for the next run',
    expected: 'the next run finds a fresh one',
    cases: [1, 2, 3].map(() => ({
      c: 'poison',
      verdicts: ['AC', 'NZ', 'TLE', 'MLE', 'SIG'],
      quiet: true,
      limits: { wallMs: 1000 },
    })),
  },
  {
    id: 157,
    name: 'hundreds of files and 100 MB in, and an end in the middle of it',
    expected: 'a defined error, no descriptor left',
    attack: copyMuch,
  },
  {
    id: 158,
    name: 'start without cgroups, rights, namespaces or capabilities',
    expected: 'refuses, or degrades and says so; never unsandboxed',
    target: 'core',
    attack: openEverywhere,
  },
].map((entry) => ({ ...entry, slow: true }));
