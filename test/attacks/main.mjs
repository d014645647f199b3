/**
 * The attack catalogue: hostile programs and clients, each with the only acceptable outcome.
 *
 *   node test/attacks/main.mjs [--json] [--only 1,2,30-40] [--group A,B] [--target core|gojudge|all]
 *
 * With `--probe [--write]` the prober of probe/ instead, with `--beside NAME=PATH,…` the prober under other
 * sandboxes. Exit code 0 only when no entry failed. With --json one object:
 * `{ entries: [{ id, group, name, expected, outcome, pass, why }] }`; `pass` is null where an entry cannot be
 * tried on this machine, and `why` says the reason.
 */
import { readCommand } from './harness/command.mjs';
import { printTable } from './harness/report.mjs';
import { runCatalogue } from './harness/run-catalogue.mjs';

if (process.argv.includes('--probe')) {
  const { checkProbe } = await import('./probe/main.mjs');
  process.exit(await checkProbe(process.argv.slice(2)));
}
const beside = process.argv.indexOf('--beside');
if (beside >= 0) {
  const { checkBeside } = await import('./probe/beside.mjs');
  process.exit(await checkBeside(process.argv[beside + 1] ?? ''));
}
const { json, ...selection } = readCommand(process.argv.slice(2));
const onEntry = json ? () => undefined : printTable;
const { entries } = await runCatalogue(selection, onEntry);
if (json) process.stdout.write(`${JSON.stringify({ entries }, null, 1)}\n`);
else {
  const count = (pass) => entries.filter((entry) => entry.pass === pass).length;
  process.stdout.write(`\n${count(true)} held, ${count(false)} failed, ${count(null)} do not apply\n`);
}
process.exit(entries.some((entry) => entry.pass === false) ? 1 : 0);
