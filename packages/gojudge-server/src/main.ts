/** The command `sbx-gojudge`: go-judge's flags, its exit codes, its signals. */
import { type Logger, pino } from 'pino';
import { FLAGS, FlagError, type FlagValue, readFlags, usage, variableOf } from './config/flags.js';
import { commandFrom } from './config/from-flags.js';
import { BUILD_VERSION } from './http/info.js';
import { createGojudgeServer, type GojudgeServer } from './server.js';

async function main(): Promise<void> {
  const flags = readCommandLine();
  if (flags === null) return;
  if (flags.get('version') === true) return void process.stdout.write(`${BUILD_VERSION}\n`);
  const log = makeLog(flags);
  try {
    const { options, warnings } = commandFrom(flags, process.pid === 1);
    for (const warning of warnings) log.warn(warning);
    const server = await createGojudgeServer(options);
    closeOnSignals(server, log);
    const { urls, monitorUrls } = await server.listen().catch(async (error: Error) => {
      await server.close();
      throw error;
    });
    log.info({ urls, monitorUrls, cgroup: server.engine.info().cgroup.version }, 'listening');
  } catch (error) {
    log.fatal({ reason: (error as Error).message }, 'could not start');
    process.exitCode = 1;
  }
}

function readCommandLine(): Map<string, FlagValue> | null {
  try {
    const flags = readFlags(process.argv.slice(2), process.env);
    if (flags !== 'help') return flags;
    process.stderr.write(usage());
    process.stdout.write(`${Object.keys(FLAGS).map(variableOf).join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\n${usage()}`);
    process.exitCode = 1;
  }
  return null;
}

/** Never the token: flags are not logged. */
function makeLog(flags: ReadonlyMap<string, FlagValue>): Logger {
  const level =
    flags.get('silent') === true ? 'silent' : flags.get('enable-debug') === true ? 'debug' : 'info';
  return pino({ level, base: null }, pino.destination(2));
}

/** The first signal drains, a second one kills. pm2 stops its processes by SIGINT and sends SIGTERM to others. */
function closeOnSignals(server: GojudgeServer, log: Logger): void {
  const underManager = ['PM2_HOME', 'PM2_JSON_PROCESSING', 'NODE_APP_INSTANCE'].some(
    (name) => process.env[name],
  );
  let closing = false;
  const close = (signal: NodeJS.Signals) => {
    if (closing) process.exit(1);
    closing = true;
    log.info({ signal }, 'shutting down');
    void server.close().then(() => process.exit(0));
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', underManager ? () => undefined : close);
}

void main();
