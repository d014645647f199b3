// Every block of code of README and guides runs as it stands, with what blocks-table.ts puts around it.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { useNats } from '../cluster/nats.js';
import { root } from '../tidy/sources.js';
import { type Block, blocks, isInstallation, isWholeProgram } from './blocks.js';
import { NOT_RUN, PREPARED, type Preparation } from './blocks-table.js';

const nats = useNats();
const COMMANDS = {
  sbx: 'packages/cli/bin/sbx.mjs',
  'sbx-gojudge': 'packages/gojudge-server/bin/sbx-gojudge.mjs',
  'sbx-mcp': 'packages/mcp/bin/sbx-mcp.mjs',
};
/** Below the root, so that a program finds our packages, as it would where they are installed. */
let home: string;

beforeAll(() => {
  home = mkdtempSync(join(root, '.sbx-setup/blocks-'));
  mkdirSync(join(home, 'bin'));
  const command = (name: string, script: string) => {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, 'bin', name), 0o755);
  };
  for (const [name, file] of Object.entries(COMMANDS))
    command(name, `exec "${process.execPath}" "${join(root, file)}" "$@"`);
  // The package of that name has the command sbx.
  command('npx', '[ "$1" = @sbx/cli ] && shift && exec sbx "$@"; exec "$@"');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function programOf(
  { language, code }: Block,
  { before = '', after = '', replace = [] }: Preparation,
): Promise<string> {
  const filledIn = replace.reduce((all, [from, to]) => {
    expect(all).toContain(from);
    return all.replaceAll(from, to);
  }, code);
  const whole = `${before}${filledIn}${after}`;
  if (language === 'sh') return whole;
  return (await transform(whole, { loader: 'ts', target: 'node20', format: 'esm' })).code;
}

async function start(block: Block, preparation: Preparation): Promise<ChildProcess> {
  const folder = mkdtempSync(join(home, 'block-'));
  for (const [name, content] of Object.entries(preparation.files ?? {}))
    writeFileSync(join(folder, name), content);
  const file = join(folder, block.language === 'sh' ? 'block.sh' : 'block.mjs');
  writeFileSync(file, await programOf(block, preparation));
  const env = {
    ...process.env,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    TOKEN: 'a-token-of-the-test',
    NATS: nats.url,
  };
  const [command, ...args] = block.language === 'sh' ? ['/bin/sh', '-e', file] : [process.execPath, file];
  // A group of its own: what a shell has started ends with it.
  const child = spawn(command!, args, { cwd: folder, env, detached: true });
  child.stdin.end(preparation.stdin ?? '');
  return child;
}

/** Waits for what a server prints, and ends it. */
async function endWhenReady(child: ChildProcess, ready: RegExp): Promise<void> {
  let output = '';
  const closed = new Promise((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.once('close', () => reject(new Error(`ended before it was ready: ${output}`)));
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (data) => {
        output += data;
        if (ready.test(output)) resolve();
      });
  });
  endGroup(child);
  await closed;
}

/** With whatever a shell has started. */
function endGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended
  }
}

const runnable = blocks.filter(
  (block) => !isWholeProgram(block) && !isInstallation(block) && !(block.name in NOT_RUN),
);

for (const block of runnable) {
  const { needs, ready, mayLack, prints, ...preparation } = PREPARED[block.name] ?? {};
  const isMissing = needs !== undefined && !existsSync(needs);
  test.skipIf(isMissing)(block.name, { timeout: 120_000 }, async () => {
    const child = await start(block, preparation);
    onTestFinished(() => endGroup(child));
    if (ready) return endWhenReady(child, ready);
    const code = new Promise((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    if (mayLack?.test(stderr)) return;
    expect({ stderr, code: await code }).toEqual({ stderr: '', code: 0 });
    if (prints) expect(stdout).toMatch(prints);
  });
}
