// Three ways to run a command: quietly, in plain sight, and in our place.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './paths.mjs';

/** A command ended badly; `output` is all it printed. */
export class CommandError extends Error {
  constructor(command, code, output) {
    super(`${command.join(' ')} ended with ${code}`);
    this.output = output;
  }
}

/** Runs a command with no input and returns what it printed; throws CommandError when it fails. */
export function runQuietly(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new CommandError([file, ...args], signal ?? code, output));
    });
  });
}

/** Runs a command on our own terminal and returns its exit code, 128 + n after signal n as in a shell. */
export function runInSight(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Becomes a command as nearly as Node can: same terminal, same signals, same exit code. */
export async function handOver(file, args, options = {}) {
  const child = spawn(file, args, { cwd: root, stdio: 'inherit', ...options });
  process.on('SIGINT', () => {}); // The terminal sends it to both; the child decides.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.exitCode = code ?? 128 + constants.signals[signal];
      resolve();
    });
  });
}
