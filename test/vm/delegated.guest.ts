// As an ordinary user with a delegated cgroup, which needs cgroup v2: nothing is missing but peaks that the
// kernel does not keep.

import { chownSync, existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answers, askAsUser, NOBODY } from '../helpers/as-user.js';
import { MiB } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';

const group = '/sys/fs/cgroup/sbx-test-delegated';
let answers: Answers;

beforeAll(async () => {
  mkdirSync(group);
  for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'])
    chownSync(join(group, name), NOBODY, NOBODY);
  answers = await askAsUser(`echo $$ > ${group}/cgroup.procs`);
});
afterAll(() => {
  // What the process itself was moved to, which is all that may be left.
  const own = join(group, 'sbx-host');
  if (existsSync(own)) rmdirSync(own);
  rmdirSync(group);
});

/** cgroup v2 has one from Linux 5.19 on, the other from 6.1 on. */
function peaksThatAreMissing(): string[] {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const isBefore = (line: number, number: number) => major < line || (major === line && minor < number);
  return [...(isBefore(5, 19) ? ['memory-peak'] : []), ...(isBefore(6, 1) ? ['process-peak'] : [])];
}

describe('an ordinary user with a delegated cgroup', () => {
  it('is not refused', () => {
    expect(answers.refused.code).toBeUndefined();
    expect(answers.user).toEqual({ mode: 'rootless', uidBase: null });
    expect(answers.files.degraded).toEqual(peaksThatAreMissing());
  });

  it('has time limits', () => {
    expect(answers.burn.status).toBe('cpu-limit');
    expect(answers.burn.usage.cpuTimeMs).toBeLessThan(paced(200 + 10));
    expect(answers.sleep.status).toBe('wall-limit');
  });

  it('has a memory limit', () => {
    expect(answers.hog.status).toBe('memory-limit');
    expect(answers.hog.usage.memoryPeakBytes).toBeGreaterThan(15 * MiB);
    expect(answers.hog.usage.memoryPeakBytes).toBeLessThanOrEqual(17 * MiB);
  });

  it('has a process limit', () => {
    expect(answers.forks.stdout).toContain('EAGAIN');
  });

  it('confines as root does', () => {
    expect(answers.posture.stdout).toMatch(/CapEff:?\s+0+\b/);
    expect([answers.attack.status, answers.attack.stdout]).toEqual(['ok', 'alive\n']);
  });
});
