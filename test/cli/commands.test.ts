// The other commands, and the start.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { LoadedPackages } from '../helpers/loaded-packages.js';
import { ended, SBX, sbx, startSbx } from './sbx.js';

describe('doctor', () => {
  test('a machine that runs these tests is fit', async () => {
    const { stdout, stderr, code } = await sbx(['doctor']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    for (const layer of [
      'platform',
      'kernel',
      'native',
      'sysctl',
      'seccomp',
      'cgroup',
      'engine',
      'language',
    ]) {
      expect(stdout).toMatch(new RegExp(`^(ok|missing|unknown) +${layer} `, 'm'));
    }
    expect(stdout).toContain('This machine can run sandboxes with all required guarantees.');
  });

  test('--fix prints commands and comments, nothing else', async () => {
    const { stdout, code } = await sbx(['doctor', '--fix']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('# Nothing is missing'); // rows of optional languages may well be
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^(# |sudo |systemd-run |docker )/);
  });

  test('--json has every row with its reasons', async () => {
    const { stdout, code } = await sbx(['doctor', '--json']);
    const report = JSON.parse(stdout);
    expect({ code, ...report }).toMatchObject({ code: 0, version: 1, command: 'doctor', ok: true });
    expect(report.engine.features.seccomp.available).toBe(true);
    for (const check of report.checks) {
      expect(check).toEqual({
        id: expect.any(String),
        layer: expect.any(String),
        title: expect.any(String),
        required: expect.any(Boolean),
        state: expect.stringMatching(/^(ok|missing|unknown)$/),
        found: expect.any(String),
        why: expect.any(String),
        fix: check.fix === null ? null : expect.any(String),
        ...(check.command === undefined ? {} : { command: expect.any(String) }),
      });
    }
  });
});

test('doctor has a row for each language, as `sbx languages` has', async () => {
  const { checks } = JSON.parse((await sbx(['doctor', '--json'])).stdout);
  const { languages } = JSON.parse((await sbx(['languages', '--json'])).stdout);
  const rows = checks.filter(({ id }: { id: string }) => id.startsWith('language:'));
  const state = (available: boolean) => (available ? 'ok' : 'missing');
  expect(rows.map(({ id, state }: Record<string, string>) => [id, state])).toEqual(
    languages.map((row: { name: string; available: boolean }) => [
      `language:${row.name}`,
      state(row.available),
    ]),
  );
});

test.each([[['serve', 'gojudge', '-h']], [['serve', 'gojudge', '--help']], [['help', 'serve', 'gojudge']]])(
  '%j lists the flags of go-judge and those of ours',
  async (args) => {
    const { stderr, code } = await sbx(args);
    expect(code).toBe(0);
    for (const flag of [
      '-http-addr <text>',
      '--cluster <url>',
      '--credentials <path>',
      '--inbox-prefix <subject>',
      '--jetstream-domain <name>',
      '--tenant <name>',
    ]) {
      expect(stderr).toContain(`\n  ${flag} `);
    }
  },
);

describe('languages', () => {
  test('a table', async () => {
    const { stdout, code } = await sbx(['languages']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^language +version +names +extensions$/m);
    expect(stdout).toMatch(/^Python +3\.\S+ +python python3 py +\.py$/m);
  });

  test('--json', async () => {
    const { stdout } = await sbx(['languages', '--json']);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ version: 1, command: 'languages' });
    expect(report.languages).toContainEqual(expect.objectContaining({ name: 'python', available: true }));
  });
});

describe('bench', () => {
  test('--json has figures in the common form', async () => {
    const { stdout, code } = await sbx(['bench', '-n', '10', '--json']);
    const report = JSON.parse(stdout);
    expect({ code, ...report }).toMatchObject({ code: 0, version: 1, bench: 'cli' });
    const names = report.figures.map((figure: { name: string }) => figure.name);
    expect(names).toEqual(['spawn', 'run', 'run_over_spawn_p50']);
    for (const figure of report.figures) expect(figure.p50).toBeGreaterThan(0);
  });

  test('a table, and wrong usage', async () => {
    expect((await sbx(['bench', '-n', '5'])).stdout).toMatch(/^sandboxed run +\S+ ms/m);
    expect((await sbx(['bench', '-n', '0'])).code).toBe(64);
  });
});

describe('colours', () => {
  test('none in a pipe, unless forced', async () => {
    const start = String.fromCharCode(27);
    expect((await sbx(['languages'])).stdout).not.toContain(start);
    expect((await sbx(['languages'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(start);
    expect((await sbx(['languages'], { env: { FORCE_COLOR: '0' } })).stdout).not.toContain(start);
  });
});

test('a reader that leaves early is no reason for a complaint', async () => {
  for (const args of [['--help'], ['languages'], ['doctor', '--json']]) {
    const child = startSbx(args);
    child.stdout.destroy();
    const { stderr, code } = await ended(child);
    expect({ stderr, code }, args.join(' ')).toEqual({ stderr: '', code: 141 });
  }
});

test.each([[['--help']], [['run', '--help']], [['--version']], [['rnu']]])(
  '%j loads no engine, no languages and no server',
  async (args) => {
    using loaded = new LoadedPackages();
    await promisify(execFile)(process.execPath, [...loaded.args, SBX, ...args], {
      env: { ...process.env, ...loaded.env },
    }).catch(() => undefined); // wrong usage ends with a code
    expect(loaded.names).toEqual(['commander']);
  },
);

test.each([
  ['--b\u001b[2J'],
  ['run', '--b\u001b[2J'],
  ['run', 'no\u009b2J.py'],
  ['run', '--', 'no\u001b[2J'],
  ['\u001b[2J'],
])('a terminal obeys nothing of a wrong command line: %j', async (...words) => {
  const { stderr, stdout } = await sbx(words);
  expect(stderr).toMatch(/^sbx: error: .*2J/);
  expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});
