/**
 * The command behind `sbx-mcp` and `sbx serve mcp`.
 *
 * @packageDocumentation
 */
import { isSbxError } from '@sbx/core';
import { after, openFailureText, watchLauncher } from '@sbx/serving';
import { type Logger, pino } from 'pino';
import { type CommandLine, CommandLineError, readCommandLine, usage } from './command-options.js';
import { createMcpServer, type McpSandboxServer } from './server.js';

/** As sysexits(3) has them, and docs/cli.md. */
const EXIT = { ok: 0, usage: 64, unavailable: 69, internal: 70, ioError: 74, tryAgain: 75 } as const;

const ADVICE = 'Or accept less: --allow-degraded serves with weaker guarantees.';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** For answers that are on their way at the end: who reads at all has them by then. */
const GOODBYE_MS = 1000;

/**
 * Serves until the client or a signal says to stop, and resolves with the exit code, with which the process
 * has to be ended: answers that a client never takes would keep it. Tells what goes wrong on stderr; never
 * rejects. A second signal ends the process at once.
 */
export async function runMcpCommand(args: readonly string[], command = 'sbx-mcp'): Promise<number> {
  let line: CommandLine;
  try {
    line = readCommandLine(args);
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error;
    process.stderr.write(`${command}: ${error.message}\nSee: ${command} --help\n`);
    return EXIT.usage;
  }
  if (line.help) {
    process.stdout.write(usage(command));
    return EXIT.ok;
  }
  const logger = pino({ level: line.verbose ? 'debug' : 'info', base: null }, pino.destination(2));
  return serve(line, logger).catch((error) => fail(error, command));
}

async function serve(line: CommandLine, logger: Logger): Promise<number> {
  const stopped = firstSignal();
  const server = await createMcpServer({ ...line.options, logger });
  try {
    if (line.http) {
      await announce(server, line, logger);
      await stopped;
    } else {
      const connection = server.serveStdio();
      await Promise.race([stopped, connection.closed]);
    }
    return EXIT.ok;
  } finally {
    await server.close();
    if (!line.http && process.stdout.writableLength > 0) {
      const taken = new Promise((resolve) => process.stdout.write('', resolve));
      await Promise.race([taken, after(GOODBYE_MS)]);
    }
  }
}

async function announce(
  server: McpSandboxServer,
  { json, options }: CommandLine,
  logger: Logger,
): Promise<void> {
  const { urls } = await server.listen();
  if (json) process.stdout.write(`${JSON.stringify({ version: 1, command: 'serve', urls })}\n`);
  logger.info({ urls }, `ready: ${urls.join(' ')}`);
  const isLocal = urls.every((url) => /^http:\/\/(127\.|\[::1\])/.test(url));
  if (!isLocal && options.token === undefined) {
    logger.warn({ urls }, 'everybody who reaches this address may run code; give a --token-file');
  }
}

function fail(error: unknown, command: string): number {
  process.stderr.write(`${command}: ${openFailureText(error, ADVICE)}\n`);
  if (isSbxError(error)) return error.code === 'SBX_INVALID_OPTIONS' ? EXIT.usage : EXIT.unavailable;
  return (error as NodeJS.ErrnoException).syscall === undefined ? EXIT.internal : EXIT.ioError;
}

/** Resolves with the first; a second one does not wait: whatever runs is killed by our end. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) process.exit(EXIT.tryAgain);
      isStopping = true;
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    watchLauncher(() => isStopping || stop());
  });
}
