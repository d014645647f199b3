// The engine used by an ordinary user, in a process of its own.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { DEFAULT_MOUNTS } from '@sbx/core';
import { buildPrograms } from '../programs/build.mjs';

export const NOBODY = 65_534;

export interface Answer {
  status: string;
  evidence: string;
  stdout: string;
  usage: { cpuTimeMs: number; wallTimeMs: number; memoryPeakBytes: number | null };
  files: Record<string, string>;
  degraded: string[];
}
/** What as-user.mjs prints. */
export interface Answers {
  refused: { code?: string; hint?: string };
  user: { mode: string; uidBase: number | null };
  posture: Answer;
  files: Answer;
  burn: Answer;
  sleep: Answer;
  hog: Answer;
  hogs: Record<string, Answer>;
  holders: Record<string, Answer>;
  forks: Answer;
  attack: Answer;
  helper: [status: string, stderr: string];
  init: Answer;
  root: string;
  tracing: string;
  rootAttack: string;
  served: { stdout: string; waiting: number; cold: number; reason: string };
  sending: [refusal: string, statusBeside: string];
  given: { tried: string[]; kept: boolean }[];
  session: Record<'text' | 'forks' | 'copied', string> &
    Record<'statuses' | 'names' | 'afterRemoval' | 'shut', string[]>;
}

/** Asks as-user.mjs, as nobody; `enter` is a shell command that root runs in that process before. */
export async function askAsUser(enter = ':'): Promise<Answers> {
  // A copy that everybody can read: the checkout may be where only root can go.
  const folder = mkdtempSync(join(tmpdir(), 'rootless-'));
  try {
    chmodSync(folder, 0o755);
    const core = dirname(fileURLToPath(import.meta.resolve('@sbx/core/package.json')));
    for (const part of ['package.json', 'dist', 'prebuilds'])
      cpSync(join(core, part), join(folder, 'core', part), { recursive: true });
    cpSync(buildPrograms(), join(folder, 'programs'), { recursive: true });
    // Of root, and to be executed only.
    cpSync(join(buildPrograms(), 'hold-memory'), join(folder, 'programs/unreadable'));
    chmodSync(join(folder, 'programs/unreadable'), 0o711);
    cpSync(new URL('./as-user.mjs', import.meta.url), join(folder, 'as-user.mjs'));
    const mounts = [
      ...DEFAULT_MOUNTS,
      { kind: 'bind', source: join(folder, 'programs'), target: '/t' },
      { kind: 'tmpfs', target: '/cache', sizeBytes: 2 ** 30 },
    ];
    const index = pathToFileURL(join(folder, 'core/dist/index.js')).href;
    const command = [process.execPath, join(folder, 'as-user.mjs'), index, JSON.stringify({ mounts })];
    const become = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const options = {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, SBX_TEST_PACE: process.env.SBX_TEST_PACE },
    };
    const script = `${enter}; exec "$@"`;
    const { stdout } = await promisify(execFile)(
      '/bin/sh',
      ['-ec', script, 'sh', ...become, ...command],
      options,
    );
    return JSON.parse(stdout) as Answers;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
