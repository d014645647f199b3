/**
 * The commands and their options, parsed by commander: it knows suggestions for slips, help for each command
 * and errors as exceptions, which cac has not (cac also turns `--cpu-set 0` into a number). Handlers are
 * imported when they are called, so that help and version load neither the engine nor the languages.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { addCluster, addWorker } from './cluster/options.js';
import type { ConformFlags } from './commands/conform.js';
import { addCompletion } from './completion/options.js';
import { EXIT } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { addFifo } from './fifo/options.js';
import type { BenchFlags, DoctorFlags, LanguagesFlags, RunFlags } from './flags.js';
import { nestedHelp, withoutUselessHelp } from './help-words.js';
import { LIMIT_FLAGS } from './limit-flags.js';
import { programHint, withoutWrongGuess } from './program-hint.js';
import { addServeAll } from './serve/all.js';
import { addServeFathom } from './serve/fathom.js';
import { addServeGojudge } from './serve/gojudge.js';
import { addServeMcp } from './serve/mcp.js';
import { printableLines, say } from './terminal.js';
import { UsageError } from './usage-error.js';

/**
 * Runs one command line and gives the exit code. Everything that goes wrong has been told when this returns.
 */
export async function runMain(argv: readonly string[]): Promise<number> {
  const { own, program } = splitArguments(nestedHelp(argv));
  let exitCode: number = EXIT.ok;
  const root = makeRoot(argv, program, (code) => {
    exitCode = code;
  });
  try {
    await root.parseAsync([...withoutUselessHelp(own, root)], { from: 'user' });
    return exitCode;
  } catch (error) {
    const json = own.includes('--json');
    const isCommanders = error instanceof CommanderError;
    if (isCommanders && error.exitCode === 0) return EXIT.ok; // help and version
    const hint = isCommanders || error instanceof UsageError ? programHint(root, argv) : null;
    if (!isCommanders) return reportFailure(withHint(error, hint), commandOf(own), json);
    const message = withoutWrongGuess(error.message).replace(/^error: /, '');
    if (json) return reportFailure(new UsageError(message, hint), commandOf(own), json);
    if (hint !== null) say(hint); // commander has told its own errors already, to people
    return EXIT.usage;
  }
}

function withHint(error: unknown, hint: string | null): unknown {
  if (hint === null || !(error instanceof UsageError)) return error;
  return new UsageError(error.message, hint, error.exitCode);
}

/** Servers whose packages read their own command line. */
const OWN_READERS = ['gojudge', 'mcp'];

/**
 * What stands after the first `--` belongs to the program that is run, and what stands after `serve gojudge`
 * and `serve mcp` is read by the commands of these servers; commander would mix both with its own.
 */
function splitArguments(argv: readonly string[]): {
  own: readonly string[];
  program: readonly string[] | null;
} {
  if (argv[0] === 'serve' && OWN_READERS.includes(argv[1] ?? '')) {
    return { own: argv.slice(0, 2), program: argv.slice(2) };
  }
  const at = ['run', 'fifo'].includes(commandOf(argv)) ? argv.indexOf('--') : -1;
  return at < 0 ? { own: argv, program: null } : { own: argv.slice(0, at), program: argv.slice(at + 1) };
}

/** As `command` of the object that `--json` prints. */
function commandOf(own: readonly string[]): string {
  const [first = 'sbx', second] = own.filter((word) => !word.startsWith('-'));
  return first === 'cluster' && second === 'status' ? 'cluster status' : first;
}

function makeRoot(
  argv: readonly string[],
  program: readonly string[] | null,
  done: (exitCode: number) => void,
): Command {
  const root = new Command('sbx')
    .description('Run untrusted programs on Linux with limits, a verdict and measurements.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('See: sbx help')
    .enablePositionalOptions() // `serve` has options of its own, which a protocol's name ends
    .configureHelp({ commandUsage: usageOf, subcommandTerm: (command) => command.name() })
    .configureOutput({
      outputError: (text, write) => write(`sbx: ${printableLines(withoutWrongGuess(text))}`),
    })
    .exitOverride();
  addRun(root, { argv, program, done });
  addDoctor(root, done);
  addLanguages(root, done);
  addBench(root, done);
  addFifo(root, { program, runOptions: runOptions(), done });
  addServe(root, program, done);
  addWorker(root, done);
  addCluster(root, done);
  addConform(root, done);
  addCompletion(root, done);
  return root;
}

/** Commander's own form says `[options]` twice for nested commands. */
function usageOf(command: Command): string {
  return `${namesOf(command)} ${command.usage()}`;
}

function namesOf(command: Command): string {
  return command.parent === null ? command.name() : `${namesOf(command.parent)} ${command.name()}`;
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

interface RunContext {
  /** The whole command line, for `--watch`. */
  argv: readonly string[];
  program: readonly string[] | null;
  done: (exitCode: number) => void;
}

function addRun(root: Command, { argv, program, done }: RunContext): void {
  const command = root
    .command('run')
    .summary('run a program or a source file in a fresh sandbox')
    .description(
      'Runs a program of the sandbox (after --), or a file of yours: a source file by its extension, compiled where ' +
        'needed, or an executable. stdin, stdout and stderr are the program’s own.',
    )
    .usage('[options] <file> [args...]\n       sbx run [options] -- <program> [args...]')
    .argument('[file]', 'source file or executable to copy in and run')
    .argument('[args...]', 'arguments of the program; those that start with - go after --')
    .showHelpAfterError('See: sbx help run');
  for (const { flags, description } of LIMIT_FLAGS) command.option(flags, description);
  for (const option of runOptions()) command.addOption(option);
  command.option('--watch', 'run again whenever the file, those of --file or that of stdin change');
  command.addHelpText('after', RUN_NOTES);
  command.action(async (file: string | undefined, args: string[], flags: RunFlags) => {
    const input = { file, args, program, flags };
    if (flags.watch) {
      const { watchCommand } = await import('./commands/watch.js');
      return done(await watchCommand(input, argv));
    }
    const { runCommand } = await import('./commands/run.js');
    done(await runCommand(input));
  });
}

function addServe(root: Command, program: readonly string[] | null, done: (exitCode: number) => void): void {
  const serve = root
    .command('serve')
    .summary('start a server: all protocols and a console on one port, or one protocol')
    .showHelpAfterError('See: sbx help serve');
  addServeAll(serve, done);
  addServeFathom(serve, done);
  addServeGojudge(serve, program ?? [], done);
  addServeMcp(serve, program ?? []);
}

function addConform(root: Command, done: (exitCode: number) => void): void {
  root
    .command('conform')
    .summary('check a server against the specification of its protocol')
    .showHelpAfterError('See: sbx help conform')
    .command('fathom')
    .summary('check a server of the Fathom Sandbox Protocol 1.0')
    .description(
      'Checks each rule of the specification and prints it. Exit code 0 only when every rule is kept.',
    )
    .argument('<url>', 'ws://HOST:PORT/ws')
    .option('--token <token>', 'bearer token')
    .option('--timeout <time>', 'longest wait for one answer (default 30s)')
    .option('--json', 'print one object on stdout')
    .showHelpAfterError('See: sbx help conform fathom')
    .action(async (url: string, flags: ConformFlags) => {
      const { conformFathomCommand } = await import('./commands/conform.js');
      done(await conformFathomCommand(url, flags));
    });
}

/** Collects the values of an option that may be given several times. */
const repeated = (value: string, before: string[] = []) => [...before, value];

function runOptions(): Option[] {
  return [
    new Option('-e, --env <name=value>', 'set a variable (repeatable)').argParser(repeated),
    new Option('--cwd <folder>', 'working folder inside; relative ones start at the work folder'),
    new Option('-f, --file <name=path>', 'copy a file in under a name (repeatable)').argParser(repeated),
    new Option('-o, --copy-out <name=path>', 'copy a file out after the end (repeatable)').argParser(
      repeated,
    ),
    new Option('-l, --language <name>', 'language of the file, instead of by its extension'),
    new Option(
      '--toolchain <folder>',
      'show a folder of the host inside, read-only, its bin on PATH (repeatable)',
    ).argParser(repeated),
    new Option(
      '--root <root>',
      'what is seen of the host: host, minimal (what the language needs), minimal:PACKAGE,…',
    ).default('host'),
    new Option('--network <kind>', 'interfaces inside').choices(['none', 'loopback']).default('none'),
    new Option('--seccomp <filter>', 'system call filter').choices(['default', 'strict']).default('default'),
    new Option('--seccomp-action <action>', 'what a refused system call does')
      .choices(['errno', 'kill'])
      .default('errno'),
    new Option('-t, --tty', 'give the program a terminal; needs one on stdin and stdout'),
    new Option('--allow-degraded', 'run also where this machine cannot give every guarantee'),
    new Option('--json', 'print one object on stdout, the program’s output in it'),
    new Option('-q, --quiet', 'no summary on stderr'),
  ];
}

const RUN_NOTES = `
Times need a unit (500ms, 1.5s, 2m), sizes too (64KiB, 256MiB, 1GiB); "none" lifts a limit.

Exit code: the program’s own, or 128 + its signal; 124 time limit, 137 memory limit, 153 output limit,
159 forbidden system call, 65 did not compile, 64 wrong usage, 66 no such file, 67 a file whose language
cannot be told, 69 not available here,
70 internal error, 77 missing permission, 126 and 127 program cannot be executed or found.

Examples:
  sbx run solution.cpp < input.txt
  sbx run --cpu 1s --memory 64MiB main.py
  sbx run --wall 5s -- python3 -c 'print(1)'
  sbx run -f data.csv=./big.csv -o out.csv -- sort -o out.csv data.csv
  sbx run --watch main.py < input.txt

With --watch, a file behind stdin is read from its beginning by each run. What comes over a pipe or a
terminal can be read once only: the first run that reads it gets it.
`;

function addDoctor(root: Command, done: (exitCode: number) => void): void {
  root
    .command('doctor')
    .showHelpAfterError('See: sbx help doctor')
    .summary('tell what this machine can enforce, and how to mend what it cannot')
    .description(
      'Looks at each requirement: its state, why it matters, and the exact fix. Exit code 0 only when every required one holds.',
    )
    .option('--fix', 'print only the commands that mend what is missing; run none')
    .option('--json', 'print one object on stdout')
    .action(async (flags: DoctorFlags) => {
      const { doctorCommand } = await import('./commands/doctor.js');
      done(await doctorCommand(flags));
    });
}

function addLanguages(root: Command, done: (exitCode: number) => void): void {
  root
    .command('languages')
    .showHelpAfterError('See: sbx help languages')
    .summary('list the languages and what is installed of them')
    .description('Asks inside a sandbox which languages are there, and in which version.')
    .option('--allow-degraded', 'run also where this machine cannot give every guarantee')
    .option('--json', 'print one object on stdout')
    .action(async (flags: LanguagesFlags) => {
      const { languagesCommand } = await import('./commands/languages.js');
      done(await languagesCommand(flags));
    });
}

function addBench(root: Command, done: (exitCode: number) => void): void {
  root
    .command('bench')
    .showHelpAfterError('See: sbx help bench')
    .summary('compare a sandboxed run with a bare spawn on this machine')
    .description('Runs /bin/true as a fresh sandbox each and by child_process.spawn, in turn, and compares.')
    .option('-n, --runs <count>', 'runs of each', '200')
    .option('--allow-degraded', 'run also where this machine cannot give every guarantee')
    .option('--json', 'print one object on stdout')
    .action(async (flags: BenchFlags) => {
      const { benchCommand } = await import('./commands/bench.js');
      done(await benchCommand(flags));
    });
}
