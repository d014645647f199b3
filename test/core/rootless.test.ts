// As an ordinary user, without a cgroup: what still holds, and that the rest is said.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPrograms } from '../programs/build.mjs';

const NOBODY = 65_534;

interface Answer {
  status: string;
  stdout: string;
  usage: { cpuTimeMs: number; wallTimeMs: number };
  files: Record<string, string>;
  degraded: string[];
}
interface Answers {
  refused: { code: string; hint: string };
  user: { mode: string; uidBase: number | null };
  posture: Answer;
  files: Answer;
  burn: Answer;
  sleep: Answer;
  attack: Answer;
  init: Answer;
  session: { text: string; statuses: string[]; names: string[] };
}

// A copy that everybody can read: the checkout may be where only root can go.
let folder = '';
let answers: Answers;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rootless-'));
  chmodSync(folder, 0o755);
  const core = dirname(fileURLToPath(import.meta.resolve('@sbx/core/package.json')));
  for (const part of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(core, part), join(folder, 'core', part), { recursive: true });
  cpSync(buildPrograms(), join(folder, 'programs'), { recursive: true });
  cpSync(new URL('../helpers/as-user.mjs', import.meta.url), join(folder, 'as-user.mjs'));
  const { DEFAULT_MOUNTS } = await import('@sbx/core');
  const mounts = [...DEFAULT_MOUNTS, { kind: 'bind', source: join(folder, 'programs'), target: '/t' }];
  const index = pathToFileURL(join(folder, 'core/dist/index.js')).href;
  const args = [join(folder, 'as-user.mjs'), index, JSON.stringify({ mounts })];
  const options = { uid: NOBODY, gid: NOBODY, cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  answers = JSON.parse(stdout) as Answers;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

  it('has files in and out', () => {
    expect(answers.files.files).toEqual({ out: 'through', 'd/x': 'deep\n' });
  });

  it('has time limits', () => {
    expect(answers.burn.status).toBe('cpu-limit');
    expect(answers.burn.usage.cpuTimeMs).toBeLessThan(250);
    expect(answers.sleep.status).toBe('wall-limit');
    expect(answers.sleep.usage.wallTimeMs).toBeLessThan(150);
  });

  it('has sessions', () => {
    expect(answers.session).toEqual({ text: 'session', statuses: ['ok', 'ok'], names: ['c.txt'] });
  });

  it('its programs are as confined as root’s', () => {
    const { stdout } = answers.posture;
    for (const line of ['uids 1000 1000 1000', 'hostname sandbox']) expect(stdout).toContain(line);
    expect(stdout).toMatch(/CapEff:?\s+0+\b/);
    expect(stdout).toMatch(/NoNewPrivs:?\s+1\b/);
    expect(stdout).toMatch(/Seccomp:?\s+2\b/);
  });

  it('its programs cannot harm init, whose id they share', () => {
    expect([answers.attack.status, answers.attack.stdout]).toEqual(['ok', 'alive\n']);
    const refusals = answers.init.stdout.trim().split('\n').slice(0, 2);
    for (const refusal of refusals) expect(refusal).toMatch(/EPERM$/);
    expect(answers.init.status).toBe('ok');
  });
});
