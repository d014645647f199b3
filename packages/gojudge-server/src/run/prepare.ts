/** Checks of descriptors and pipes, all before anything runs. Throws `RunFailure` with go-judge's texts. */
import { posix } from 'node:path';
import { RunFailure } from '../errors.js';
import type { Settings } from '../settings.js';
import type { CollectorFile, Job, JobPipe, JobProgram } from './job.js';

/** Fills gaps of `files` that pipes take, and checks both. */
export function checkDescriptors(job: Job, settings: Settings): void {
  const group = job.programs.length > 1;
  if (group) checkPipes(job);
  const prefix = group ? 'prepare fds: prepareCmdFd: ' : '';
  for (const program of job.programs) {
    if (program.tty) checkTerminal(program, prefix);
    else
      for (const file of program.files)
        if (file?.kind === 'collector') checkCollector(file, settings, prefix);
  }
}

function checkPipes({ programs, pipes }: Job): void {
  const taken = new Map<string, keyof Pick<JobPipe, 'writer' | 'reader'>>();
  for (const pipe of pipes) {
    for (const side of ['writer', 'reader'] as const) {
      const { index, fd } = pipe[side];
      const program = programs[index];
      if (program === undefined) throw new RunFailure(`pipe: index out of range ${index}`);
      const key = `${index}/${fd}`;
      if (taken.has(key)) {
        const name = side === 'writer' ? 'in' : 'out';
        throw new RunFailure(`pipe: mapping to existing file descriptor: ${name} ${key}`);
      }
      if ((program.files[fd] ?? null) !== null)
        throw new RunFailure(`pipe: fd already occupied ${index} ${fd}`);
      taken.set(key, side);
    }
  }
  for (const [index, program] of programs.entries()) checkGaps(index, program, taken);
}

function checkGaps(index: number, { files }: JobProgram, taken: ReadonlyMap<string, unknown>): void {
  const own = [...taken.keys()].filter((key) => key.startsWith(`${index}/`));
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

/** The file is made in a fresh sandbox before copyIn, so what can go wrong is known from its name. */
function checkCollector({ name, pipe }: CollectorFile, { workDir }: Settings, prefix: string): void {
  if (pipe) return;
  const fail = (text: string) => new RunFailure(`${prefix}container: ${name}: ${text}`);
  if (name.includes('\0')) throw fail(`lstat ${name}: invalid argument`);
  const path = posix.resolve(workDir, name);
  if (name === '') throw fail(`open ${name}: no such file or directory`);
  if (path === workDir || path === '/' || path.startsWith('/dev/'))
    throw fail(`${name} is not a regular file`);
  const folder = posix.dirname(path);
  if (folder === workDir || folder === '/tmp') return;
  if (folder === '/') throw fail(`open ${name}: read-only file system`);
  throw fail(`open ${name}: no such file or directory`);
}
