/** A server of whatever protocols, from its flags until a signal ends it. */
import type { ClusterEngine } from '@sbx/cluster';
import { type Logger, pino } from 'pino';
import { clusterOf, NO_WORKER_YET, openUnless } from '../cluster/open.js';
import { EXIT } from '../exit-codes.js';
import type { ServeFlags } from '../flags.js';
import { endOfServer, watchInterrupts } from '../run/interrupts.js';
import { printJson, say } from '../terminal.js';
import { aborted, letSecondSignalKill, refuseAddress } from './words.js';

interface Server {
  listen(): Promise<{ urls: string[] }>;
  close(): Promise<void>;
}

/** Flags of an engine and of a server that all such commands have. */
type Flags = Parameters<typeof clusterOf>[0] & Pick<ServeFlags, 'token' | 'tokenFile' | 'verbose' | 'json'>;

interface Serving<S extends Server> {
  flags: Flags;
  /** `engine`: that of a cluster, if one was asked for. */
  open(logger: Logger, engine: ClusterEngine | undefined): Promise<S>;
  /** What it says of itself when it is ready: to programs, and in words. */
  about(server: S): { facts: object; words: readonly string[] };
}

/** Gives the exit code; throws what `reportFailure` tells. */
export async function serveUntilSignal<S extends Server>({
  flags,
  open,
  about,
}: Serving<S>): Promise<number> {
  const logger = pino({ level: flags.verbose ? 'debug' : 'info', base: null }, pino.destination(2));
  const interrupts = watchInterrupts();
  interrupts.signal.addEventListener('abort', letSecondSignalKill, { once: true });
  try {
    await using engine = await clusterOf(flags);
    if (engine?.isReady === false) logger.warn({}, NO_WORKER_YET);
    const server = await openUnless(interrupts.signal, open(logger, engine), engine);
    if (server === null) return EXIT.ok;
    try {
      const { urls } = await server.listen().catch(refuseAddress);
      announce(urls, about(server), flags, logger);
      await aborted(interrupts.signal);
    } finally {
      await server.close();
    }
    return endOfServer(interrupts.signal);
  } finally {
    interrupts.stop();
  }
}

type About = ReturnType<Serving<Server>['about']>;

/** To a person on a terminal in words, else as a line of the log: a collector takes every line for JSON. */
function announce(urls: readonly string[], { facts, words }: About, flags: Flags, logger: Logger): void {
  if (flags.json) printJson({ version: 1, command: 'serve', urls, ...facts });
  const ready = `ready: ${urls.join(' ')} (${words.join(', ')})`;
  if (process.stderr.isTTY) say(ready);
  else logger.info({ urls, ...facts }, ready);
  const isGuarded = flags.token !== undefined || flags.tokenFile !== undefined;
  const isLocal = urls.every((url) => /^(?:http|ws):\/\/(?:127\.|\[::1\])/.test(url));
  if (isGuarded || isLocal) return;
  const warning = 'everybody who reaches this address may run code; give a --token-file';
  if (process.stderr.isTTY) say(`warning: ${warning}`);
  else logger.warn({ urls }, warning);
}
