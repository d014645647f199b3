import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The command as it is installed. */
export const SBX = fileURLToPath(new URL('../../packages/cli/bin/sbx.mjs', import.meta.url));

export interface Ended {
  stdout: string;
  stderr: string;
  code: number | null;
  signal: string | null;
}

export interface SbxOptions {
  /** Default: an empty stdin. */
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** What runs the command. Default: this Node. */
  node?: string;
}

/** Runs `sbx` to its end. */
export async function sbx(args: readonly string[], options: SbxOptions = {}): Promise<Ended> {
  const child = startSbx(args, options);
  child.stdin.on('error', () => {}); // a command that does not read its input
  child.stdin.end(options.stdin ?? '');
  return ended(child);
}

export function startSbx(args: readonly string[], { env, cwd, node = process.execPath }: SbxOptions = {}) {
  return spawn(node, [SBX, ...args], { env: { PATH: process.env.PATH, ...env }, cwd });
}

export async function ended(child: ReturnType<typeof startSbx>): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  }
  const [code, signal] = await once(child, 'close');
  return { ...texts, code, signal };
}

/** The first match in what it prints. Rejects when it ends before. */
export function said(child: ReturnType<typeof startSbx>, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (data: Buffer) => {
      text += data;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}
