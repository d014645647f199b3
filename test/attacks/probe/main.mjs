/**
 * The prober: `npm run attacks -- --probe [--write] [--profile NAME,…] [--start NAME,…]`. Exit code 0 only
 * when every row is as committed in expected/. `--write` commits what is there now: to be read row by row
 * before.
 */
import { parseArgs } from 'node:util';
import { runProbe } from './run-probe.mjs';
import { machine, readTables, unjudged, writeTables } from './tables.mjs';

const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const options = { probe: flag, write: flag, profile: text, start: text };

/** → the exit code. */
export async function checkProbe(args) {
  const { values } = parseArgs({ args, options });
  const chosen = {
    ...(values.profile === undefined ? {} : { profiles: values.profile.split(',') }),
    ...(values.start === undefined ? {} : { starts: values.start.split(',') }),
  };
  const tables = await runProbe(chosen);
  const expected = readTables();
  if (values.write) {
    const all = new Map([...(expected ?? []), ...tables]);
    process.stdout.write(`${tables.size} tables written to ${writeTables(all)}\n`);
    return 0;
  }
  if (expected === null) {
    process.stdout.write(`No table for ${machine()}: --write makes one, to be judged row by row.\n`);
    return 1;
  }
  const lines = unjudged(expected, tables);
  for (const line of lines) process.stdout.write(`${line}\n`);
  process.stdout.write(`${tables.size} tables, ${lines.length} rows not as committed\n`);
  return lines.length === 0 ? 0 : 1;
}
