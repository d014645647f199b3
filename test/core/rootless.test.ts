// As an ordinary user, without a cgroup: what still holds, and that the rest is said.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answers, askAsUser } from '../helpers/as-user.js';
import { paced } from '../helpers/pace.js';

let answers: Answers;

beforeAll(async () => {
  // As a background job would be, which may not go back.
  answers = await askAsUser('renice -n 7 -p $$ >/dev/null');
}, paced(90_000));

describe('an ordinary user without a cgroup', () => {
  it('is refused by default, with the way out', () => {
    expect(answers.refused.code).toBe('SBX_REQUIRED_FEATURE_MISSING');
    expect(answers.refused.hint).toContain('Delegate=yes');
    expect(answers.refused.hint).toContain('require: []');
  });

  it('runs programs when that is accepted, and results say what was missing', () => {
    expect(answers.user).toEqual({ mode: 'rootless', uidBase: null });
    expect(answers.files.status).toBe('ok');
    expect(answers.files.degraded).toEqual(
      expect.arrayContaining([
        'cpu-accounting',
        'memory-limit',
        'process-limit',
        'memory-peak',
        'process-peak',
      ]),
    );
  });

  it('has a process limit for the only program of a sandbox', () => {
    expect(answers.forks.stdout).toBe('7 EAGAIN\n');
  });

  it('has files in and out', () => {
    expect(answers.files.files).toEqual({ out: 'through', 'd/x': 'deep\n' });
  });

  it('has time limits', () => {
    expect(answers.burn.status).toBe('cpu-limit');
    expect(answers.burn.usage.cpuTimeMs).toBeLessThan(paced(250));
    expect(answers.sleep.status).toBe('wall-limit');
    expect(answers.sleep.usage.wallTimeMs).toBeLessThan(paced(150));
  });

  it('has a memory limit that is looked after', () => {
    expect(Object.keys(answers.hogs)).toHaveLength(14);
    const ended = Object.entries(answers.hogs).map(([kind, { evidence }]) => [kind, evidence]);
    // Killed for it, not judged by a figure after its end.
    expect(ended).toEqual(ended.map(([kind]) => [kind, 'memory-limit/record']));
    expect(answers.hogs.eight?.usage.memoryPeakBytes).toBeGreaterThan(256 * 2 ** 20);
  });

  it('also where it is handed from process to process, faster than a list of them can be gone through', () => {
    // Its limit is 64 MiB. How much more it has by then depends on who else wants the CPUs.
    expect(answers.hogs.turns?.usage.memoryPeakBytes).toBeGreaterThan(64 * 2 ** 20);
    expect(answers.hogs.turns?.usage.memoryPeakBytes).toBeLessThan(1024 * 2 ** 20); // what it wants
  });

  it('which counts what processes share once', () => {
    const statuses = Object.entries(answers.holders).map(([kind, { status }]) => [kind, status]);
    expect(statuses).toEqual(['private', 'shared', 'forks', 'vfork'].map((kind) => [kind, 'ok']));
  });

  it('starts programs as usual where none can be made to wait, and says why', () => {
    expect(answers.served).toMatchObject({ stdout: 'served\n', waiting: 0, cold: 1 });
    expect(answers.served.reason).toContain('fanotify: EPERM');
  });

  it('its own files are given to programs as copies that nobody can change', () => {
    for (const { tried, kept } of answers.given) {
      expect(kept).toBe(true);
      // It is the owner of the copy, which is sealed.
      expect(tried.filter((line) => line.endsWith('OK'))).toEqual(['chmod: OK']);
      expect(tried.at(-1)).toBe('/memfd:sbx-input (deleted)');
    }
  });

  it('has sessions', () => {
    const forks = '1023 EAGAIN\n'; // all its programs have 1024 tasks together
    const { afterRemoval, copied, shut, ...session } = answers.session;
    expect(session).toEqual({ text: 'session', statuses: ['ok', 'ok'], forks, names: ['c.txt'] });
    expect(afterRemoval).toEqual(['c.txt']); // also of folders that a program had shut
    expect(copied).toBe('program\nhost\nmore\n640\n640\n');
    // Of a folder whose names may only be read, which ends no watch.
    expect(shut).toEqual(['SBX_FILE_DENIED', 'overflow']);
  });

  it('its programs are as confined as root’s', () => {
    const { stdout } = answers.posture;
    for (const line of ['uids 1000 1000 1000', 'hostname sandbox']) expect(stdout).toContain(line);
    expect(stdout).toMatch(/CapEff:?\s+0+\b/);
    expect(stdout).toMatch(/NoNewPrivs:?\s+1\b/);
    expect(stdout).toMatch(/Seccomp:?\s+2\b/);
  });

  it('also where they take themselves for root', () => {
    expect(answers.root).toMatch(/^uids 0 0 0$/m);
    expect(answers.root).toMatch(/^CapEff 0+$/m);
    expect(answers.root).toMatch(/^CapBnd 0+$/m);
    expect(answers.rootAttack).toBe('alive\n');
  });

  it('its programs cannot harm init, whose id they share', () => {
    expect([answers.attack.status, answers.attack.stdout]).toEqual(['ok', 'alive\n']);
    const refusals = answers.init.stdout.trim().split('\n').slice(0, 2);
    for (const refusal of refusals) expect(refusal).toMatch(/EPERM$/);
    expect(answers.init.status).toBe('ok');
  });

  it('the helper’s own file ends at once as a program, with words', () => {
    expect(answers.helper).toEqual(['exit', 'sbx-helper: part of @sbx/core, not to be run as a program\n']);
  });

  it('others start while one has as many descriptors on their way as the kernel lets it', () => {
    expect(answers.sending).toEqual(['ETOOMANYREFS\n', 'ok']);
  });

  it('its programs trace nobody, not even where tracing is allowed', () => {
    expect(answers.tracing).toBe('ptrace EPERM\nptrace EPERM\n');
  });
});
