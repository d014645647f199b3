/** `sbx fifo run` and its options. */
import { type Command, Option } from 'commander';
import type { FifoAskFlags, FifoFlags } from '../flags.js';
import { LIMIT_FLAGS } from '../limit-flags.js';

/** Options of `sbx run` that are about the sandbox, not about its output. */
const SHARED = [
  'env',
  'cwd',
  'file',
  'language',
  'network',
  'seccomp',
  'seccompAction',
  'allowDegraded',
  'toolchain',
  'root',
];

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
  addFifoAsk(fifo, done);
}

function addFifoAsk(fifo: Command, done: (exitCode: number) => void): void {
  fifo
    .command('ask')
    .summary('ask the manager of a directory, and print its three lines')
    .description(
      'Makes one request on the pipes of a directory and prints the reply: CPU time in µs, memory in bytes, state.',
    )
    .argument('<dir>', 'the directory with the pipes')
    .argument('[request]', '1: the program may go on; 0: it shall end, the last request of all', '1')
    .option('--timeout <time>', 'give up after this time; "none": as long as the manager lives (default 10s)')
    .option('--json', 'print one object on stdout')
    .addHelpText('after', ASK_NOTES)
    .showHelpAfterError('See: sbx help fifo ask')
    .action(async (dir: string, request: string, flags: FifoAskFlags) => {
      const { fifoAskCommand } = await import('../commands/fifo-ask.js');
      done(await fifoAskCommand(dir, request, flags));
    });
}

function fifoOptions(): Option[] {
  return [
    new Option('-d, --dir <folder>', 'directory for the pipes, made and removed here (default: a fresh one)'),
    new Option('--pipes', 'the program’s stdin and stdout as pipes "downward" and "upward" of the directory'),
    new Option('--legacy', 'the seven pipes of 2018 with reversed digits, for old clients'),
    new Option('--group <gid>', 'group that may use the pipes too, and so end the program'),
    new Option('--grace <time>', 'time to leave by itself after the last call (default 50ms)'),
    new Option('--give-up <time>', 'drop a reply that nobody has fetched for so long (default: never)'),
    new Option('--record <path>', 'write requests and replies to this file, one JSON object a line'),
    new Option('--json', 'print one object on stdout when ready; needs --pipes or --legacy'),
  ];
}

const ASK_NOTES = `
Exit code: 0 with a reply, whatever it says of the program; 124 no reply in time, 66 no such directory or pipes,
69 the manager has died, 77 not allowed, 64 wrong usage.

Examples:
  sbx fifo ask /tmp/p1
  sbx fifo ask /tmp/p1 0 --timeout 2s
`;

const NOTES = `
When the directory is ready its path is printed: on stdout with --pipes or --legacy, else on stderr, since stdout is the
program's. Ends with 0 after the last call; the program's own end is told over the pipes.

Example:
  sbx fifo run --dir /tmp/p1 --pipes --memory 64MiB -- python3 -u agent.py &
  printf 1 > /tmp/p1/wait; cat /tmp/p1/status
  sbx fifo ask /tmp/p1 0
`;
