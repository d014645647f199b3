/**
 * `sbx run --watch`: the same command again, in a process of its own, whenever a file that it reads has
 * changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import { askToEnd } from '../ending.js';
import { FileChanges } from '../run/file-changes.js';
import { watchInterrupts } from '../run/interrupts.js';
import { Interrupted } from '../run/output-failure.js';
import { makeRequest, type RunInput, type RunRequest } from '../run/request.js';
import { say } from '../terminal.js';
import { UsageError } from '../usage-error.js';

const OUR_STDIN = '/proc/self/fd/0';

/**
 * Gives the exit code when it is interrupted; before that it never ends. `argv` is the whole command line.
 */
export async function watchCommand(input: RunInput, argv: readonly string[]): Promise<number> {
  const paths = watchedPaths(await makeRequest(input));
  if (paths.length === 0) {
    const hint =
      'Files are watched that sbx itself reads: FILE, those of --file, and one that stdin comes from.';
    throw new UsageError('--watch: there is no file to watch', hint);
  }
  const interrupts = watchInterrupts(askToEnd);
  const changes = new FileChanges(paths);
  try {
    while (!interrupts.signal.aborted) {
      const signal = AbortSignal.any([changes.next(), interrupts.signal]);
      await runOnce(withoutWatch(argv), signal);
      if (signal.aborted) continue;
      if (!input.flags.quiet) say('waits for a change; Ctrl-C ends');
      await once(signal, 'abort');
    }
    const { reason } = interrupts.signal;
    if (reason instanceof Interrupted) return reason.exitCode;
    throw reason;
  } finally {
    changes.close();
    interrupts.stop();
  }
}

function watchedPaths({ target, files }: RunRequest): string[] {
  const inputs = Object.values(files).flatMap((file) => (isHostFile(file) ? [file.hostFile] : []));
  const program = target.kind === 'file' ? [target.path] : [];
  return [...program, ...inputs, ...(stdinIsFile() ? [readlinkSync(OUR_STDIN)] : [])];
}

function isHostFile(file: unknown): file is { hostFile: string } {
  return typeof file === 'object' && file !== null && 'hostFile' in file;
}

function stdinIsFile(): boolean {
  return fstatSync(0).isFile();
}

/** Only our own words: what stands after `--` is the program's. */
function withoutWatch(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.filter((word, at) => word !== '--watch' || (end >= 0 && at > end));
}

/** Resolves when the run has ended, which an abort makes it do: its sandbox is gone then. */
async function runOnce(argv: readonly string[], signal: AbortSignal): Promise<void> {
  // Opened anew, a file is read from its beginning again.
  const stdin = stdinIsFile() ? openSync(OUR_STDIN, 'r') : 'inherit';
  try {
    const child = spawn(process.execPath, [process.argv[1]!, ...argv], {
      stdio: [stdin, 'inherit', 'inherit'],
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end);
    try {
      if (signal.aborted) end();
      await once(child, 'exit');
    } finally {
      signal.removeEventListener('abort', end);
    }
  } finally {
    if (typeof stdin === 'number') closeSync(stdin);
  }
}
