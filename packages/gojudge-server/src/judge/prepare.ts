/** Checks of descriptors and pipes, all before anything runs. Throws `RunFailure` with go-judge's texts. */
import { RunFailure } from '../errors.js';
import type { Job, JobPipe, JobProgram } from './job.js';

/** Of all programs, in go-judge's order. */
export function checkDescriptors(job: Job): void {
  checkPipeEnds(job);
  const prefix = descriptorPrefix(job);
  for (const program of job.programs) if (program.tty) checkTerminal(program, prefix);
  if (job.programs.length > 1) checkPipes(job);
}

/** What is wrong with a pipe by itself: go-judge looks at that before it opens any file. */
export function checkPipeEnds({ programs, pipes }: Job): void {
  for (const { writer, reader } of pipes) {
    for (const { index, fd } of [writer, reader]) {
      const program = programs[index];
      if (program === undefined) throw new RunFailure(`pipe: index out of range ${index}`);
      if ((program.files[fd] ?? null) !== null)
        throw new RunFailure(`pipe: fd already occupied ${index} ${fd}`);
    }
  }
}

/** Of what fails as a descriptor is made. */
export function descriptorPrefix({ programs }: Job): string {
  return programs.length > 1 ? 'prepare fds: prepareCmdFd: ' : '';
}

function checkPipes({ programs, pipes }: Job): void {
  const taken = new Set<string>();
  for (const { writer, reader } of pipes) {
    takeEnd(taken, 'out', reader);
    takeEnd(taken, 'in', writer);
  }
  for (const [index, program] of programs.entries()) checkGaps(index, program, taken);
}

function takeEnd(taken: Set<string>, name: 'in' | 'out', { index, fd }: JobPipe['writer']): void {
  const key = `${index}/${fd}`;
  if (taken.has(key)) throw new RunFailure(`pipe: mapping to existing file descriptor: ${name} ${key}`);
  taken.add(key);
}

function checkGaps(index: number, { files }: JobProgram, taken: ReadonlySet<string>): void {
  const own = [...taken].filter((key) => key.startsWith(`${index}/`));
  const count = Math.max(files.length, ...own.map((key) => Number(key.slice(key.indexOf('/') + 1)) + 1));
  for (let fd = 0; fd < count; fd += 1) {
    if ((files[fd] ?? null) === null && !taken.has(`${index}/${fd}`)) {
      throw new RunFailure(`null file for index/fd: ${index}/${fd}`);
    }
  }
}

function checkTerminal({ files }: JobProgram, prefix: string): void {
  const inputs = files.filter((file) => file?.kind === 'content' || file?.kind === 'stream-in');
  if (inputs.length > 1) throw new RunFailure(`${prefix}tty: multiple input not allowed`);
}
