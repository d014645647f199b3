// Test suites of others, run to their end.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(import.meta.dirname, '../../scripts/foreign-suite.mjs');

/** The folder `node_modules` with tools of others, and what else the suite names. */
export async function foreignParts(name: string): Promise<[modules: string, ...others: string[]]> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, name]);
  return JSON.parse(stdout) as [string, ...string[]];
}

/** The folder `node_modules` with tools of others. */
export async function foreignModules(name: 'bundlers' | 'next' | 'runtimes'): Promise<string> {
  return (await foreignParts(name))[0];
}

/** Exit code and all that it printed. */
export async function runSuite(
  name: 'mcp-conformance' | 'langchain-tests',
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ code: number; output: string }> {
  const provided = await promisify(execFile)(process.execPath, [script, name]);
  const [file, ...first] = JSON.parse(provided.stdout) as [string, ...string[]];
  const options = { env, maxBuffer: 2 ** 26, timeout: 500_000 };
  return new Promise((resolve) => {
    execFile(file, [...first, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
    );
  });
}
