/** `sbx serve` without a protocol: words of the command line → options → a server, until a signal ends it. */
import { InvalidOptionsError } from '@sbx/core';
import { createServer, type Protocol, type SbxServer, type ServerOptions } from '@sbx/server';
import { type Logger, pino } from 'pino';
import { clusterOf, NO_WORKER_YET, openUnless } from '../cluster/open.js';
import { EXIT } from '../exit-codes.js';
import type { ServeFlags } from '../flags.js';
import { endOfServer, watchInterrupts } from '../run/interrupts.js';
import {
  aborted,
  flagName,
  letSecondSignalKill,
  refuseAddress,
  standbyFrom,
  tokenFrom,
} from '../serve/words.js';
import { printJson, say } from '../terminal.js';
import { parseCount } from '../units.js';
import { UsageError } from '../usage-error.js';

/** Gives the exit code; throws what `reportFailure` tells. */
export async function serveCommand(flags: ServeFlags): Promise<number> {
  const logger = pino({ level: flags.verbose ? 'debug' : 'info', base: null }, pino.destination(2));
  const options = { ...optionsFrom(flags), logger };
  const interrupts = watchInterrupts();
  interrupts.signal.addEventListener('abort', letSecondSignalKill, { once: true });
  try {
    await using engine = await clusterOf(flags);
    if (engine !== undefined) tellCluster(logger, flags, engine.isReady);
    const opening = createServer({ ...options, engine }).catch(nameFlag);
    const server = await openUnless(interrupts.signal, opening, engine);
    if (server === null) return EXIT.ok;
    try {
      const { urls } = await server.listen().catch(refuseAddress);
      announce(server, urls, { flags, logger });
      await aborted(interrupts.signal);
    } finally {
      await server.close();
    }
    return endOfServer(interrupts.signal);
  } finally {
    interrupts.stop();
  }
}

/** What is otherwise than with an engine on this machine. */
function tellCluster(logger: Logger, { protocols }: ServeFlags, isReady: boolean): void {
  if (protocols === undefined) {
    logger.info({}, 'mcp is not served: its sandboxes keep files between calls, on one machine');
  }
  if (!isReady) logger.warn({}, NO_WORKER_YET);
}

/** To a person on a terminal in words, else as a line of the log: a collector takes every line for JSON. */
function announce(
  { protocols }: SbxServer,
  urls: string[],
  { flags, logger }: { flags: ServeFlags; logger: Logger },
): void {
  if (flags.json) printJson({ version: 1, command: 'serve', urls, protocols, console: flags.console });
  const spoken = [...protocols, ...(flags.console ? ['console'] : [])].join(', ');
  const ready = `ready: ${urls.join(' ')} (${spoken})`;
  if (process.stderr.isTTY) say(ready);
  else logger.info({ urls, protocols, console: flags.console }, ready);
  const isGuarded = flags.token !== undefined || flags.tokenFile !== undefined;
  const isLocal = urls.every((url) => /^http:\/\/(127\.|\[::1\])/.test(url));
  if (isGuarded || isLocal) return;
  const warning = 'everybody who reaches this address may run code; give a --token-file';
  if (process.stderr.isTTY) say(`warning: ${warning}`);
  else logger.warn({ urls }, warning);
}

/** Flags that are not called as the options that they become. */
const OTHER_NAMES = new Map([
  ['allowedOrigins', 'allowOrigin'],
  ['language', 'languages'],
]);

/** A refused option is reported by the flag that it came from. */
function nameFlag(error: unknown): never {
  if (!(error instanceof InvalidOptionsError)) throw error;
  const option = error.field.replace(/^options\.(?:fathom\.)?(\w+).*/, '$1');
  const got = error.got === null ? '' : `; got ${error.got}`;
  throw new UsageError(`${flagName(OTHER_NAMES.get(option) ?? option)} ${error.expected}${got}`, error.hint);
}

function optionsFrom(flags: ServeFlags): ServerOptions {
  const { host, port, protocols, allowOrigin, parallelism, languages, standby, root, allowDegraded } = flags;
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: parseCount(port, '--port') }),
    ...(protocols === undefined ? {} : { protocols: namesIn(protocols) as Protocol[] }),
    ...(allowOrigin === undefined ? {} : { allowedOrigins: allowOrigin }),
    ...(parallelism === undefined ? {} : { parallelism: parseCount(parallelism, '--parallelism') }),
    ...(root === undefined ? {} : { root }),
    ...(allowDegraded ? { require: [] } : {}),
    console: flags.console,
    token: tokenFrom(flags),
    fathom: {
      ...(languages === undefined ? {} : { languages: namesIn(languages) }),
      ...(standby === undefined ? {} : { standby: standbyFrom(standby) }),
    },
  };
}

function namesIn(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
