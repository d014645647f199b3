/** Streams of a living program to the connection that asked for them. */
import type { ProgramInput, ProgramOutput, RunnerProcess } from '@sbx/core';
import type { JobProgram } from './job.js';
import type { StreamTarget } from './scope.js';

interface Living {
  index: number;
  program: JobProgram;
  process: RunnerProcess;
}

/** Resolves when all output has been sent. */
export async function attachStreams(target: StreamTarget, living: Living): Promise<void> {
  if (living.program.tty) return attachTerminal(target, living);
  const { index, program, process } = living;
  const { fds } = process;
  const sending: Promise<void>[] = [];
  for (const [fd, file] of program.files.entries()) {
    if (file?.kind === 'stream-in') target.attachInput(index, fd, fds[fd] as ProgramInput);
    else if (file?.kind === 'stream-out') {
      sending.push(target.attachOutput(index, fd, fds[fd] as ProgramOutput));
    }
  }
  await Promise.all(sending);
}

/** One output, whatever its descriptors are called: it goes to the first. */
async function attachTerminal(target: StreamTarget, { index, program, process }: Living): Promise<void> {
  for (const [fd, file] of program.files.entries()) {
    if (file?.kind !== 'stream-in') continue;
    target.attachInput(index, fd, process.stdin!);
    target.attachTerminal(index, fd, process);
  }
  const fd = program.files.findIndex((file) => file?.kind === 'stream-out');
  if (fd >= 0) await target.attachOutput(index, fd, process.stdout!);
}
