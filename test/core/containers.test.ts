// In containers without privileges: what is missing is said, and the flags of docs/containers.md suffice.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY } from '../helpers/as-user.js';
import { buildPrograms } from '../programs/build.mjs';

const helpers = fileURLToPath(new URL('../helpers/', import.meta.url));
let folder: string;
let filter: string;

beforeAll(() => {
  // A copy that everybody can read: the checkout may be where only root can go.
  folder = mkdtempSync(join(tmpdir(), 'container-'));
  chmodSync(folder, 0o755);
  const core = dirname(fileURLToPath(import.meta.resolve('@sbx/core/package.json')));
  for (const part of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(core, part), join(folder, 'core', part), { recursive: true });
  cpSync(join(helpers, 'in-container.mjs'), join(folder, 'in-container.mjs'));
  filter = join(folder, 'docker-filter');
  cpSync(join(buildPrograms(), 'docker-filter'), filter);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  code?: string;
  hint?: string;
  status?: string;
  stdout?: string;
  mode?: string;
  cgroup?: string;
}

function inContainer(freed: string, uid: number, required: 'all' | 'none'): Answer {
  const index = pathToFileURL(join(folder, 'core/dist/index.js')).href;
  const command = [process.execPath, join(folder, 'in-container.mjs'), index, required];
  const args = [join(helpers, 'container.sh'), freed, `${uid}`, filter, ...command];
  return JSON.parse(execFileSync('bash', args, { cwd: folder, encoding: 'utf8' })) as Answer;
}

/** Own groups of the v1 hierarchies that `sbx doctor --fix` delegates; none where there is no v1. */
function v1Folders(): string[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  return ['cpu', 'cpuacct', 'memory', 'pids'].flatMap((name) => {
    const [, , path] = lines.find(([, names]) => names?.split(',').includes(name)) ?? [];
    return path === undefined ? [] : [join('/sys/fs/cgroup', name, path)];
  });
}

function delegated(command: readonly string[]): string {
  const own = v1Folders().map((path) => join(path, `sbx-test-${process.pid}`));
  const enter =
    'uid=$1; shift; while [ "$1" != -- ]; do mkdir "$1"; chown -R "$uid" "$1"; echo $$ > "$1/cgroup.procs"; shift; done; shift';
  const become = `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"`;
  try {
    const args = ['-ec', `${enter}; ${become}`, 'sh', `${NOBODY}`, ...own, '--', ...command];
    return execFileSync('sh', args, { cwd: folder, encoding: 'utf8' });
  } finally {
    for (const path of own) rmdirSync(path);
  }
}

const RAN = { status: 'ok', stdout: '1000\n1\n' };

describe.each([
  ['root', 0],
  ['an ordinary user', NOBODY],
])('%s in a container without privileges', (_who, uid) => {
  it('is told of the flags when new namespaces are refused', () => {
    const { code, hint } = inContainer('', uid, 'none');
    expect(code).toBe('SBX_PERMISSION');
    expect(hint).toContain('--security-opt seccomp=unconfined');
  });

  it('is told of the flag when /proc is masked', () => {
    const { code, hint } = inContainer('seccomp', uid, 'none');
    expect(code).toBe('SBX_PERMISSION');
    expect(hint).toContain('--security-opt systempaths=unconfined');
  });

  it('is told of the flag when cgroups cannot be written', () => {
    const { code, hint } = inContainer('seccomp proc', uid, 'all');
    expect(code).toBe('SBX_REQUIRED_FEATURE_MISSING');
    expect(hint).toContain('--security-opt writable-cgroups=true');
  });

  it('runs programs with the flags, in user namespaces', () => {
    expect(inContainer('seccomp proc', uid, 'none')).toEqual({ ...RAN, mode: 'rootless', cgroup: 'none' });
  });
});

it('root with writable cgroups has all guarantees that are required, without CAP_SYS_ADMIN', () => {
  const { cgroup, ...rest } = inContainer('seccomp proc cgroup', 0, 'all');
  expect(rest).toEqual({ ...RAN, mode: 'rootless' });
  expect(cgroup).not.toBe('none');
});

it('root with CAP_SYS_ADMIN has a user for each sandbox', () => {
  expect(inContainer('seccomp proc cgroup admin', 0, 'all')).toMatchObject({ ...RAN, mode: 'root' });
});

it.runIf(v1Folders().length > 0)(
  'an ordinary user with v1 groups of its own has all that is required',
  () => {
    const index = pathToFileURL(join(folder, 'core/dist/index.js')).href;
    const stdout = delegated([process.execPath, join(folder, 'in-container.mjs'), index, 'all']);
    expect(JSON.parse(stdout)).toMatchObject({ ...RAN, mode: 'rootless' });
  },
);
