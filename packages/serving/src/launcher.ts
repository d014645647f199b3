/**
 * npm (`npx`, `npm run`) starts a command in a shell and passes signals on to that shell, which dies of them
 * without a word to the command. So where the command is all that the shell was started for, the end of the
 * shell is the signal.
 */
import { basename } from 'node:path';

const LOOK_MS = 100;

/** Calls back, once, when the shell that npm made for this command is gone. Keeps no process alive. */
export function watchLauncher(onGone: () => void): { stop(): void } {
  if (!isSoleCommand(process.env.npm_lifecycle_script, process.argv[1])) return { stop() {} };
  const launcher = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(timer);
    onGone();
  }, LOOK_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Not `sbx … & other`: there the shell may well be gone before. The variable is inherited, so the name must
 * be ours too.
 */
export function isSoleCommand(npmScript = '', started = ''): boolean {
  const [first = ''] = npmScript.trim().split(/\s+/);
  const command = basename(first.replaceAll(/["']/g, ''));
  return command !== '' && command === basename(started, '.mjs') && !/[&|;\n]/.test(npmScript);
}
