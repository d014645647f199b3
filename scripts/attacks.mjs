/**
 * `npm run attacks -- [--json] [--only 1,2,30-40] [--group A,B] [--target core|gojudge|all]`: set-up, then
 * the catalogue. `--probe [--write]`: the prober, against the committed tables of
 * test/attacks/probe/expected. `--user ID`: as that user, with its group alone. `--vm`: in the guest with
 * cgroup v2.
 */
import { buildPrograms } from '../test/programs/build.mjs';
import { GUEST } from './lib/guest.mjs';
import { handOver } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';

const args = process.argv.slice(2);

/** Takes a flag of ours out of the arguments; true or its value when it is there. */
function take(flag, hasValue) {
  const at = args.indexOf(flag);
  if (at < 0) return null;
  const [, value = ''] = args.splice(at, hasValue ? 2 : 1);
  return hasValue ? value : true;
}

const user = take('--user', true);
const inGuest = take('--vm', false);
const become = user === null ? [] : ['setpriv', '--reuid', user, '--regid', user, '--clear-groups'];
const enter = inGuest ? GUEST.wrapper : [];

await setup();
// As who we are, out here: where the compiler is fast, and the checkout can be written.
for (const folder of ['attacks/programs', 'attacks/probe', 'programs'])
  buildPrograms(new URL(`../test/${folder}/`, import.meta.url).pathname);
const [command, ...rest] = [...enter, ...become, process.execPath, 'test/attacks/main.mjs', ...args];
const env = { ...process.env, ...(inGuest ? GUEST.env : {}) };
await handOver(command, rest, { env: user === null ? env : { ...env, HOME: '/tmp' } });
