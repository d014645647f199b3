/** `sbx fifo run` and its options. */
import { type Command, Option } from 'commander';
import type { RunFlags } from '../flags.js';
import { LIMIT_FLAGS } from '../limit-flags.js';

/** What commander hands over: the shape of the sandbox as for `sbx run`, and what is of the protocol. */
export interface FifoFlags extends RunFlags {
  dir?: string;
  pipes?: boolean;
  legacy?: boolean;
  group?: string;
  grace?: string;
}

/** Options of `sbx run` that are about the sandbox, not about its output. */
const SHARED = ['env', 'cwd', 'file', 'language', 'network', 'seccomp', 'seccompAction', 'allowDegraded'];

interface Surroundings {
  program: readonly string[] | null;
  runOptions: readonly Option[];
  done: (exitCode: number) => void;
}

export function addFifo(root: Command, { program, runOptions, done }: Surroundings): void {
  const fifo = root
    .command('fifo')
    .summary('manage a program over two named pipes')
    .showHelpAfterError('See: sbx help fifo');
  const command = fifo
    .command('run')
    .summary('start a program and answer for it in a directory of pipes')
    .description(
      'Starts a program (after --) or a file of yours in a sandbox and answers requests on the pipe "wait" of a directory, ' +
        'until one asks for the end. See docs/protocols/fifo.md.',
    )
    .usage('[options] <file> [args...]\n       sbx fifo run [options] -- <program> [args...]')
    .argument('[file]', 'source file or executable to copy in and run')
    .argument('[args...]', 'arguments of the program; those that start with - go after --')
    .showHelpAfterError('See: sbx help fifo run');
  for (const option of fifoOptions()) command.addOption(option);
  for (const { flags, description, limit } of LIMIT_FLAGS) {
    if (limit !== 'outputBytes') command.option(flags, description); // output is passed on, not captured
  }
  for (const option of runOptions) if (SHARED.includes(option.attributeName())) command.addOption(option);
  command.addHelpText('after', NOTES);
  command.action(async (file: string | undefined, args: string[], flags: FifoFlags) => {
    const { fifoCommand } = await import('../commands/fifo.js');
    done(await fifoCommand({ file, args, program, flags }));
  });
}

function fifoOptions(): Option[] {
  return [
    new Option('-d, --dir <folder>', 'directory for the pipes, made and removed here (default: a fresh one)'),
    new Option('--pipes', 'the program’s stdin and stdout as pipes "downward" and "upward" of the directory'),
    new Option('--legacy', 'the seven pipes of 2018 with reversed digits, for old clients'),
    new Option('--group <gid>', 'group that may use the pipes too, and so end the program'),
    new Option('--grace <time>', 'time to leave by itself after the last call (default 50ms)'),
    new Option('--json', 'print one object on stdout when ready; needs --pipes or --legacy'),
  ];
}

const NOTES = `
When the directory is ready its path is printed: on stdout with --pipes or --legacy, else on stderr, since stdout is the
program's. Ends with 0 after the last call; the program's own end is told over the pipes.

Example:
  sbx fifo run --dir /tmp/p1 --pipes --memory 64MiB -- python3 -u agent.py &
  printf 1 > /tmp/p1/wait; cat /tmp/p1/status
  printf 0 > /tmp/p1/wait; cat /tmp/p1/status
`;
