// The frameworks themselves, from npm by a lockfile of ours, on each Node that all of them run on: the
// programs of the README, and their own agent loops with scripted models, one that works and one that is
// hostile.
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignParts } from '../helpers/foreign.js';
import { readText, root } from '../tidy/sources.js';
import { HOSTILE, HOSTILE_LIMITS } from './agent.js';

const NODES = ['22', '24'];
const LOOPS = ['deepagents', 'computesdk', 'ai-sdk', 'bash-tool', 'openai-agents', 'mastra', 'tanstack'];
const nodes = new Map<string, string>();
let folder: string;

/** A project of a user: the frameworks, our packages as built, and the programs. */
beforeAll(async () => {
  const [modules, ...binaries] = await foreignParts('agent-frameworks');
  for (const [i, version] of NODES.entries()) nodes.set(version, binaries[i]!);
  folder = mkdtempSync(join(tmpdir(), 'sbx-frameworks-'));
  mkdirSync(join(folder, 'node_modules/@sbx'), { recursive: true });
  for (const name of readdirSync(modules))
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  for (const name of ['adapters', 'core'])
    symlinkSync(join(root, 'packages', name), join(folder, 'node_modules/@sbx', name));
  for (const name of ['agents.mjs', 'loops.mjs', 'refusals.mjs'])
    copyFileSync(join(import.meta.dirname, 'frameworks', name), join(folder, name));
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(version: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env.PATH }, maxBuffer: 2 ** 26 };
  return (await promisify(execFile)(nodes.get(version)!, ['--no-warnings', ...args], options)).stdout;
}

interface Ended {
  outputs: { length: number; end: string }[];
  sandboxes: number;
  running: number;
}

async function runAgent(version: string, framework: string, limits: object, lines: readonly string[]) {
  const stdout = await run(version, 'agents.mjs', framework, JSON.stringify(limits), JSON.stringify(lines));
  const ended = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Ended;
  expect(ended).toMatchObject({ sandboxes: 0, running: 0 });
  expect(ended.outputs.length).toBe(lines.length);
  return ended.outputs;
}

const programs = [
  ...readText('packages/adapters/README.md').matchAll(/^```(?:ts|js)\n([\s\S]*?)^```$/gm),
].map(([, code]) => ({ entry: /@sbx\/adapters\/([\w-]+)/.exec(code!)![1]!, code: code! }));

test('the README has a program for each entry', () => {
  const { exports } = JSON.parse(readText('packages/adapters/package.json')) as { exports: object };
  const entries = Object.keys(exports).filter((name) => name !== './package.json');
  expect(programs.map(({ entry }) => `./${entry}`).sort()).toEqual(entries.sort());
});

describe.each(NODES)('on Node %s', (version) => {
  test.each(programs)(
    'the program of the README for $entry',
    { timeout: 60_000 },
    async ({ entry, code }) => {
      const file = `${entry}.mts`;
      writeFileSync(join(folder, file), code);
      const printed = /\/\/ (?:… )?(.*?)(?: …|: arguments.*)?$/m.exec(code.split('console.log').at(-1)!)![1]!;
      expect(await run(version, file)).toContain(entry === 'bash-tool' ? "stdout: '42\\n'" : printed);
    },
  );

  test.each(LOOPS)(
    'an agent of %s writes, fails, mends and reads',
    { timeout: 60_000 },
    async (framework) => {
      const outputs = await runAgent(version, framework, {}, [
        'printf "print(total(1, 2)\\n" > main.py; echo written',
        'python main.py',
        'printf "def total(*all): return sum(all)\\nopen(\\"result.txt\\", \\"w\\").write(str(total(1, 2)))\\n" > main.py',
        'python3 main.py; echo code $?',
        'echo "result $(cat result.txt)"',
      ]);
      const [written, failed, , ran, result] = outputs.map(({ end }) => end);
      expect(written).toContain('written');
      expect(failed).toContain('SyntaxError');
      expect(ran).toContain('code 0');
      expect(result).toContain('result 3');
    },
  );
});

test.each(LOOPS)(
  'a hostile agent of %s goes on, and its sandbox ends',
  { timeout: 120_000 },
  async (name) => {
    const lines = HOSTILE.flatMap(([, line]) => [line, 'echo alive']);
    const outputs = await runAgent(NODES.at(-1)!, name, HOSTILE_LIMITS, lines);
    for (const [i, { length, end }] of outputs.entries()) {
      expect(length, lines[i]).toBeLessThan(3 * 2 ** 20);
      if (i % 2 === 1) expect(end, lines[i - 1]).toContain('alive');
    }
  },
);

test('what a sandbox has not is refused through the frameworks, in their own errors', async () => {
  const stdout = await run(NODES.at(-1)!, 'refusals.mjs');
  const { refusals, sandboxes } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as {
    refusals: Record<string, string>;
    sandboxes: number;
  };
  const ours = 'SandboxUnsupportedFeatureError: sbx does not support';
  const starts = {
    'openai-agents concurrencyLimits': 'UserError: concurrencyLimits.localDirFiles must be',
    'openai-agents hostPath': `${ours} manifest.extraPathGrants.hostPath: `,
    'openai-agents extraPathGrants': `${ours} manifest.extraPathGrants: commands do not see "/var/lib".`,
    'openai-agents readOnly': `${ours} manifest.extraPathGrants.readOnly: `,
    'openai-agents options': `${ours} options.exposedPorts: `,
    'computesdk memory': 'InvalidOptionsError: options.memory must be absent',
    'tanstack local':
      'UnsupportedCapabilityError: Sandbox provider "sbx" does not support the "workspace.source',
    'tanstack network':
      'UnsupportedCapabilityError: Sandbox provider "sbx" does not support the "networkPolicy"',
    'mastra maxRetainedBytes': 'InvalidOptionsError: options.maxRetainedBytes must be at most',
  };
  expect(Object.keys(refusals)).toEqual(Object.keys(starts));
  for (const [name, start] of Object.entries(starts))
    expect(refusals[name]!.slice(0, start.length), name).toBe(start);
  expect(sandboxes).toBe(0);
});
