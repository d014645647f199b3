/**
 * The command behind `sbx-gojudge` and `sbx serve gojudge`: go-judge's flags, its exit codes, its signals.
 *
 * @packageDocumentation
 */
import type { EngineInfo, Runner } from '@sbx/core';
import { ELSEWHERE_PARALLELISM, openFailureText, watchLauncher } from '@sbx/serving';
import { FLAGS, FlagError, type FlagValue, readFlags, variableOf } from '../config/flags.js';
import { commandFrom, toldOfFlags } from '../config/from-flags.js';
import { hideSecrets } from '../config/secrets.js';
import type { RequestLog } from '../http/request-log.js';
import { openServer } from '../server.js';
import { BUILD_VERSION, packageVersion } from '../version.js';
import { type Log, openLog } from './log.js';
import { keepHeapSmall } from './small-heap.js';
import { spareMemory } from './spare-memory.js';

/** Only that flag requires anything. */
const ADVICE = 'Or leave out -no-fallback, to serve with weaker guarantees.';

const PM2_VARIABLES = ['PM2_HOME', 'PM2_JSON_PROCESSING', 'NODE_APP_INSTANCE'];

/**
 * Reads go-judge's flags and `ES_…` variables, serves until a signal says to stop, and resolves with the exit
 * code. Tells what goes wrong on stderr; never rejects. A second signal ends the process at once.
 * `openEngine`: what runs programs, closed at the end; default an engine of this machine. `moreUsage`: of
 * flags that the caller reads itself.
 */
export async function runGojudgeCommand(
  args: readonly string[],
  openEngine?: () => Promise<Runner>,
  moreUsage = '',
): Promise<number> {
  hideSecrets();
  keepHeapSmall(); // for `sbx serve gojudge`; main.ts has done so before it loaded this
  const flags = await readCommandLine(args, moreUsage);
  if (typeof flags === 'number') return flags;
  if (flags.get('version') === true) {
    process.stdout.write(`${BUILD_VERSION}\n`);
    return 0;
  }
  const log = openLog(process.stderr, flags.get('silent') === true); // never the token: flags are not logged
  try {
    await serve(flags, log, openEngine);
    return 0;
  } catch (error) {
    log.fatal({ reason: toldOfFlags(openFailureText(error, ADVICE)) }, 'could not start');
    return 1;
  }
}

/** Flags, or the exit code when there is nothing to serve. */
async function readCommandLine(
  args: readonly string[],
  moreUsage: string,
): Promise<Map<string, FlagValue> | number> {
  try {
    const flags = readFlags(args, process.env);
    if (flags !== 'help') return flags;
    process.stderr.write((await readUsage()) + moreUsage);
    process.stdout.write(`${Object.keys(FLAGS).map(variableOf).join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\nSee -help for all flags.\n`);
    return 1;
  }
}

/** Loaded only when somebody asks. */
async function readUsage(): Promise<string> {
  const { usage } = await import('../config/usage.js');
  return usage();
}

/** As the original it goes on without cgroups; whoever runs it should know. */
function warnOfMissing({ cgroup, features }: EngineInfo, log: Log): void {
  const missing = (['cpu-accounting', 'memory-limit', 'process-limit'] as const).filter(
    (feature) => !features[feature].available,
  );
  if (missing.length === 0) return;
  log.warn(
    { missing, reason: cgroup.reason },
    'limits are not all enforced here; -no-fallback exits instead',
  );
}

/** Loaded only when somebody asks. */
async function openRequestLog(log: Log): Promise<RequestLog> {
  const { RequestLog: Opened } = await import('../http/request-log.js');
  return new Opened(log.debug);
}

async function serve(
  flags: ReadonlyMap<string, FlagValue>,
  log: Log,
  openEngine: (() => Promise<Runner>) | undefined,
): Promise<void> {
  const { options, memoryOptions, warnings, configFiles } = await commandFrom(flags, process.pid === 1);
  for (const file of configFiles) log.info(file, 'configuration file read');
  for (const warning of warnings) log.warn({}, warning);
  const stopped = firstSignal(log); // from now on: opening takes a moment, and leaves nothing when it is over
  const engine = await openEngine?.();
  if (engine !== undefined && !flags.has('parallelism')) options.parallelism = ELSEWHERE_PARALLELISM;
  const requestLog = options.enableDebug && !flags.get('silent') ? await openRequestLog(log) : null;
  const server = await openServer(engine === undefined ? options : { ...options, engine }, requestLog);
  try {
    const { urls, monitorUrls } = await server.listen();
    const cgroup = server.engine.info().cgroup.version;
    log.info({ version: packageVersion(), urls, monitorUrls, cgroup }, 'listening');
    warnOfMissing(server.engine.info(), log);
    spareMemory(server.engine, memoryOptions);
    await stopped;
  } finally {
    await server.close();
    await engine?.close();
  }
}

/**
 * Resolves with the first signal, for a drain; a second one kills. pm2 stops its processes by SIGINT and
 * sends SIGTERM to others.
 */
function firstSignal(log: Log): Promise<void> {
  const underManager = PM2_VARIABLES.some((name) => process.env[name]);
  return new Promise((resolve) => {
    let closing = false;
    const close = (signal: NodeJS.Signals) => {
      if (closing) process.exit(1);
      closing = true;
      log.info({ signal }, 'shutting down');
      resolve();
    };
    process.on('SIGINT', close);
    process.on('SIGTERM', underManager ? () => undefined : close);
    watchLauncher(() => closing || close('SIGTERM'));
  });
}
