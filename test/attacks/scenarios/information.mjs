// Group B: attacks of several runs, one after the other or at once.
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../helpers/proc.mjs';
import { becomes } from '../harness/wire.mjs';

/** A leaves, B looks. */
export const leaveAndLook = (leave, look) => async (context) => {
  const problems = await context.check(leave);
  // As many as there are slots, so that one of them is A's.
  for (let slot = 0; slot < 3; slot += 1) problems.push(...(await context.check(look)));
  return problems;
};

async function lockChannel(context, core) {
  const send = context.run({ c: 'lock-channel', args: ['send', 500], core });
  await sleep(60);
  const receive = await context.run({ c: 'lock-channel', args: ['receive', 250], core });
  await send;
  return receive;
}

/** Documented outside of strict mode (docs/security.md); closed in it. */
export async function lockBits(context) {
  const open = await lockChannel(context, {});
  context.note(`default: ${/GOT/.test(open.stdout) ? 'open, as documented' : 'closed'}`);
  if (context.target.name !== 'core') return [];
  const strict = await lockChannel(context, { seccomp: 'strict' });
  context.note(`strict: ${/GOT/.test(strict.stdout) ? 'open' : 'closed'}`);
  return strict.verdict === 'AC' && /^done$/m.test(strict.stdout) && !/GOT/.test(strict.stdout)
    ? []
    : [`strict: ${strict.verdict} ${strict.stdout}`];
}

export async function otherChannels(context) {
  const [left, looked, sockets] = await Promise.all([
    context.run({ c: 'ipc-objects', args: ['leave'] }),
    sleep(5).then(() => context.check({ c: 'ipc-objects', args: ['look'] })),
    context.check({
      c: 'call-all',
      args: ['any', 'socket,40,1,0', 'socket,40,2,0', 'add_key', 'keyctl,1,0'],
    }),
  ]);
  return [...(left.verdict === 'AC' ? [] : [`leave: ${left.verdict} ${left.stderr}`]), ...looked, ...sockets];
}

export async function reachConcurrent(context) {
  const sleeping = [1, 2].map(() => context.run({ t: 'sleep-ms', args: [2000] }));
  const users = () =>
    descendants(context.target.pid)
      .filter((row) => row.name === 'sleep-ms')
      .map((row) => row.uid);
  const bothRun = await becomes(1500, () => users().length === 2);
  const different = new Set(users()).size === 2;
  const problems = [
    ...(await context.check({ c: 'foreign-roots' })),
    ...(await context.check({ c: 'signal-everyone', args: ['all'] })),
  ];
  const others = (await Promise.all(sleeping)).filter(({ verdict }) => verdict !== 'AC');
  if (!bothRun || !different) problems.push('concurrent programs do not have host users of their own');
  return [...problems, ...others.map(({ verdict }) => `another program ended as ${verdict}`)];
}

export async function askPageCache(context) {
  const path = join(context.world.shown, 'cold');
  const fd = openSync(path, 'w', 0o644);
  writeSync(fd, Buffer.alloc(2 ** 20, 1));
  closeSync(fd);
  return context.check({ c: 'page-cache', args: ['/data/cold'] });
}

export async function staleBuffers(context) {
  const secret = context.world.answer;
  await context.run({ sh: `yes ${secret} | head -c 60000` });
  const problems = [];
  for (let index = 0; index < 4; index += 1) {
    const one = await context.run({ sh: 'printf x; printf y >&2' });
    if (one.stdout !== 'x' || one.stderr !== 'y')
      problems.push(JSON.stringify(one.stdout + one.stderr).slice(0, 80));
  }
  return problems;
}
