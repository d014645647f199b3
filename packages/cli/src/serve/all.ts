/** `sbx serve` without a protocol: everything on one port. */
import { type Command, Option } from 'commander';
import { clusterOptions } from '../cluster/split.js';
import type { ServeFlags } from '../flags.js';
import { UsageError } from '../usage-error.js';

const repeated = (value: string, before: string[] = []) => [...before, value];

export function addServeAll(serve: Command, done: (exitCode: number) => void): void {
  serve
    .description(
      'Without a protocol: go-judge at /run, /file, /ws, /stream, Fathom at /fathom, MCP at /mcp, a console at /, and /metrics, ' +
        '/healthz, /readyz, all on one port over one engine, until SIGINT or SIGTERM.',
    )
    .usage('[options]\n       sbx serve <protocol> [options]');
  for (const option of options()) serve.addOption(option);
  serve.enablePositionalOptions(); // options after a protocol's name are that protocol's
  serve.addHelpText('after', NOTES);
  serve.allowExcessArguments(); // told below as the name of a protocol that it was meant to be
  serve.action(async (flags: ServeFlags, { args: [stray] }: Command) => {
    if (stray !== undefined) {
      const names = serve.commands.map((command) => command.name()).join(', ');
      throw new UsageError(
        `there is no protocol "${stray}"`,
        `Known are: ${names}. Without one: all on one port.`,
      );
    }
    const { serveCommand } = await import('../commands/serve.js');
    done(await serveCommand(flags));
  });
}

function options(): Option[] {
  return [
    new Option('--host <address>', 'where to listen (default 127.0.0.1)'),
    new Option('--port <number>', 'port; 0 takes a free one (default 8764)'),
    new Option('--protocols <names>', 'what is spoken (default gojudge,fathom,mcp)'),
    new Option('--no-console', 'no console in the browser'),
    new Option('--token <token>', 'bearer token that clients must bring; others on this machine can see it'),
    new Option('--token-file <path>', 'file with the token, white space around it ignored').conflicts(
      'token',
    ),
    new Option('--allow-origin <origin>', 'web pages that may call without a token (repeatable)').argParser(
      repeated,
    ),
    new Option('--parallelism <count>', 'one-shot runs at once (default one per CPU)'),
    new Option('--languages <names>', 'languages of Fathom (default python,javascript,shell,elixir)'),
    new Option(
      '--standby <counts>',
      'interpreters kept waiting (default python=2,javascript=2,elixir=1), or none',
    ),
    new Option('--root <root>', 'what is seen of the host (default host)').choices(['host', 'minimal']),
    ...clusterOptions(),
    new Option('--allow-degraded', 'serve also where this machine cannot give every guarantee'),
    new Option('--verbose', 'log connections and executions too'),
    new Option('--json', 'print one object on stdout when ready'),
  ];
}

const NOTES = `
A protocol after serve starts that one alone, with all options of its own: sbx help serve fathom.
Logs are JSON lines on stderr, without code, input, output or token.

Examples:
  sbx serve
  sbx serve --cluster nats://10.0.0.1:4222
  sbx serve --host 0.0.0.0 --token-file /run/secrets/sbx --protocols gojudge,fathom
`;
