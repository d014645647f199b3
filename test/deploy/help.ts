// The usage texts of what is deployed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const known = new Map<string, string>();

export const sbxGojudgeHelp = () => ask('gojudge-server/bin/sbx-gojudge.mjs', ['--help']);

export const sbxWorkerHelp = () => ask('cli/bin/sbx.mjs', ['worker', '--help']);

/** Each is asked once. */
function ask(bin: string, args: readonly string[]): string {
  const text = known.get(bin) ?? usageOf(bin, args);
  known.set(bin, text);
  return text;
}

function usageOf(bin: string, args: readonly string[]): string {
  const path = fileURLToPath(new URL(`../../packages/${bin}`, import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return stdout + stderr;
}
