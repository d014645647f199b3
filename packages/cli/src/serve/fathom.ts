/** `sbx serve fathom` and its options. */
import { type Command, Option } from 'commander';
import { clusterOptions } from '../cluster/split.js';
import type { ServeFathomFlags } from '../flags.js';

const repeated = (value: string, before: string[] = []) => [...before, value];

export function addServeFathom(serve: Command, done: (exitCode: number) => void): void {
  const command = serve
    .command('fathom')
    .summary('execute code over a WebSocket, output streamed (Fathom 1.0)')
    .description(
      'Serves the Fathom Sandbox Protocol 1.0 at ws://HOST:PORT/ws, and /metrics, /healthz, /readyz beside it, until SIGINT ' +
        'or SIGTERM. See docs/protocols/fathom.md.',
    )
    .showHelpAfterError('See: sbx help serve fathom');
  for (const option of options()) command.addOption(option);
  command.addHelpText('after', NOTES);
  command.action(async (flags: ServeFathomFlags) => {
    const { serveFathomCommand } = await import('../commands/serve-fathom.js');
    done(await serveFathomCommand(flags));
  });
}

function options(): Option[] {
  return [
    new Option('--host <address>', 'where to listen (default 127.0.0.1)'),
    new Option('--port <number>', 'port; 0 takes a free one (default 8765)'),
    new Option('--token <token>', 'bearer token that clients must bring; others on this machine can see it'),
    new Option('--token-file <path>', 'file with the token, white space around it ignored').conflicts(
      'token',
    ),
    new Option(
      '--allow-origin <origin>',
      'web pages that may connect without a token (repeatable)',
    ).argParser(repeated),
    new Option('--languages <names>', 'languages on offer (default python,javascript,shell,elixir)'),
    new Option(
      '--standby <counts>',
      'interpreters kept waiting (default python=2,javascript=2,elixir=1), or none',
    ),
    new Option('--standby-memory <size>', 'memory that all waiting interpreters may hold'),
    new Option('--parallelism <count>', 'executions at once (default four per CPU, at least 8)'),
    new Option('--queue <count>', 'executions that may wait (default 256)'),
    new Option('--request-total <size>', 'bytes of large requests that wait or run (default 256MiB)'),
    new Option('--answer-total <size>', 'bytes on their way to all clients (default 256MiB)'),
    new Option('--max-timeout <time>', 'highest timeout_ms (default 300s)'),
    new Option('--max-memory <size>', 'highest memory_mb (default 1GiB)'),
    new Option('--max-output <size>', 'highest max_output_bytes (default 64MiB)'),
    new Option('--max-code <size>', 'largest code (default 1MiB)'),
    new Option('--processes <count>', 'processes and threads of an execution (default 64)'),
    new Option('--open-files <count>', 'descriptors of each process of an execution (default 256)'),
    new Option('--file-size <size>', 'largest file of an execution (default 64MiB)'),
    new Option('--network <kind>', 'interfaces inside an execution (default none)').choices([
      'none',
      'loopback',
    ]),
    new Option('--root <root>', 'what is seen of the host (default host)').choices(['host', 'minimal']),
    new Option('--per-connection <count>', 'executions of one connection at once (default all)'),
    new Option('--grace <time>', 'how long executions outlive their connection (default 1s)'),
    new Option('--drain <time>', 'how long running executions may go on at the end (default 0s)'),
    ...clusterOptions(),
    new Option('--allow-degraded', 'serve also where this machine cannot give every guarantee'),
    new Option('--verbose', 'log connections and executions too'),
    new Option('--json', 'print one object on stdout when ready'),
  ];
}

const NOTES = `
Logs are JSON lines on stderr, without code, input, environment or token.

Example:
  sbx serve fathom --port 8765 --token-file /run/secrets/fathom
`;
