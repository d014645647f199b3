/** `sbx conform fathom URL`: whether a server keeps the rules of the specification. */
import { checkConformance, type RuleOutcome } from '@sbx/fathom-client/conformance';
import { EXIT } from '../exit-codes.js';
import { painterFor, printable, printJson, say } from '../terminal.js';
import { parseDurationMs } from '../units.js';
import { UsageError } from '../usage-error.js';

/** What commander hands over. */
export interface ConformFlags {
  token?: string;
  timeout?: string;
  json?: boolean;
}

/** Exit code 0 when every rule is kept. */
export async function conformFathomCommand(address: string, flags: ConformFlags): Promise<number> {
  const { token, timeout, json = false } = flags;
  const url = socketUrl(address);
  const timeoutMs = timeout === undefined ? undefined : parseDurationMs(timeout, '--timeout');
  const options = { url, token, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const onRule = (outcome: RuleOutcome) => {
    if (!json) process.stdout.write(lineOf(outcome));
  };
  const outcomes = await checkConformance({ ...options, onRule }).catch((error: Error) => {
    throw new UsageError(`cannot check ${url}: ${error.message}`, null, EXIT.ioError);
  });
  const broken = outcomes.filter(({ pass }) => !pass).length;
  const passed = outcomes.length - broken;
  if (json) printJson({ version: 1, command: 'conform', url, passed, failed: broken, rules: outcomes });
  else say(`${passed} of ${outcomes.length} rules are kept`);
  return broken === 0 ? EXIT.ok : EXIT.failed;
}

function socketUrl(address: string): string {
  const isKnown = /^(ws|http)s?:\/\//i.test(address) && URL.canParse(address);
  if (!isKnown) throw new UsageError('URL must be an address such as ws://127.0.0.1:8765/ws');
  const url = new URL(address);
  url.protocol = url.protocol.replace(/^http/, 'ws');
  if (url.pathname === '/') url.pathname = '/ws';
  return url.href;
}

function lineOf({ id, section, level, rule, pass, reason }: RuleOutcome): string {
  const paint = painterFor(process.stdout);
  const sign = pass ? paint('green', 'pass') : paint('red', 'FAIL');
  const why = reason === null ? '' : `      ${printable(reason)}\n`;
  return `${sign}  ${level.padEnd(6)}  ${id.padEnd(16)}  ${rule} (${section})\n${why}`;
}
