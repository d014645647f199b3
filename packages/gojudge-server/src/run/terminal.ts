/** A program on a terminal of its own: one input, one output, whatever its descriptors are called. */
import type { OutputStream, Process, ProgramOptions, Sandbox } from '@sbx/core';
import type { Collected } from './gather.js';
import type { JobProgram } from './job.js';
import type { Ended, Placed } from './program-run.js';
import type { RunScope } from './scope.js';

export interface OnTerminal {
  scope: RunScope;
  sandbox: Sandbox;
  placed: Placed;
  file: string;
  options: ProgramOptions;
  collected: Collected;
}

export async function runOnTerminal(run: OnTerminal): Promise<Ended> {
  const { scope, sandbox, placed, file, options } = run;
  const process = await sandbox.spawn(file, placed.program.args.slice(1), { ...options, pty: {} });
  const stop = () => process.kill();
  scope.signal.addEventListener('abort', stop, { once: true });
  if (scope.signal.aborted) stop();
  try {
    const reading = attach(run, process);
    const result = await process.result;
    await reading;
    return result;
  } finally {
    scope.signal.removeEventListener('abort', stop);
  }
}

/** Input is typed once, output goes to the first who wants it. */
async function attach({ scope, placed, collected }: OnTerminal, process: Process): Promise<void> {
  const { program, index } = placed;
  for (const [fd, entry] of program.files.entries()) {
    if (entry?.kind === 'content') void process.stdin!.write(entry.text).catch(() => undefined); // hung up
    if (entry?.kind !== 'stream-in') continue;
    scope.streams!.attachInput(index, fd, process.stdin!);
    scope.streams!.attachTerminal(index, fd, process);
  }
  const output = process.stdout!;
  const target = firstOutput(program);
  if (target === null) return discard(output);
  if (target.kind === 'stream') return scope.streams!.attachOutput(index, target.fd, output);
  collected.set(target.name, await collectUntilFull(output, process, target.max + 1));
}

type Target = { kind: 'stream'; fd: number } | { kind: 'collector'; name: string; max: number };

function firstOutput({ files }: JobProgram): Target | null {
  const streamFd = files.findIndex((file) => file?.kind === 'stream-out');
  if (streamFd >= 0) return { kind: 'stream', fd: streamFd };
  for (const file of files) if (file?.kind === 'collector') return file;
  return null;
}

async function discard(output: OutputStream): Promise<void> {
  for await (const _chunk of output); // somebody must read, or the program waits
}

/** At the bound the terminal is hung up: further writing fails with EIO, reading ends. */
async function collectUntilFull(
  output: OutputStream,
  process: Process,
  keepBytes: number,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let room = Math.max(0, keepBytes);
  for await (const chunk of output) {
    kept.push(chunk.subarray(0, room));
    room -= kept.at(-1)!.byteLength;
    if (room === 0) break;
  }
  if (room === 0) {
    output.destroy();
    process.stdin?.destroy();
  }
  return Buffer.concat(kept);
}
