/** `sbx serve` without a protocol: words of the command line → options → a server, until a signal ends it. */
import { createServer, type Protocol, type ServerOptions } from '@sbx/server';
import type { ServeFlags } from '../flags.js';
import { serveUntilSignal } from '../serve/until-signal.js';
import { flagName, refuseOption, standbyFrom, tokenFrom } from '../serve/words.js';
import { parseCount } from '../units.js';

/** Gives the exit code; throws what `reportFailure` tells. */
export async function serveCommand(flags: ServeFlags): Promise<number> {
  const options = optionsFrom(flags);
  return serveUntilSignal({
    flags,
    open: (logger, engine) => {
      if (engine !== undefined && flags.protocols === undefined) logger.info({}, NO_MCP);
      return createServer({ ...options, logger, engine }).catch(nameFlag);
    },
    about: ({ protocols }) => ({
      facts: { protocols, console: flags.console },
      words: [...protocols, ...(flags.console ? ['console'] : [])],
    }),
  });
}

const NO_MCP = 'mcp is not served: its sandboxes keep files between calls, on one machine';

/** Flags that are not called as the options that they become. */
const OTHER_NAMES = new Map([
  ['allowedOrigins', 'allowOrigin'],
  ['language', 'languages'],
]);

/** A refused option is reported by the flag that it came from. */
function nameFlag(error: unknown): never {
  return refuseOption(error, ({ field }) => {
    const option = field.replace(/^options\.(?:fathom\.)?(\w+).*/, '$1');
    return flagName(OTHER_NAMES.get(option) ?? option);
  });
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
