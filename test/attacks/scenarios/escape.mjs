// Group A: attacks that need the host's hand, or more than one run.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../helpers/proc.mjs';
import { becomes } from '../harness/wire.mjs';

/** Contents of every file that the helper runs from. */
function helperHashes(pid) {
  const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const running = descendants(pid).filter((row) => row.name === 'sbx-zygote');
  return running.map((row) => `${row.pid} ${hash(`/proc/${row.pid}/exe`)}`);
}

export async function overwriteHelper(context) {
  const { target } = context;
  const before = helperHashes(target.pid);
  const others = Array.from({ length: 20 }, async (_, index) => {
    await sleep(index * 10);
    return target.run({ argv: ['/a/hello'] });
  });
  const problems = await context.check({ c: 'helper-overwrite', args: [250] });
  const failed = (await Promise.all(others)).filter((one) => one.stdout !== 'hello\n');
  if (before.length === 0) problems.push('no helper found to look at');
  if (helperHashes(target.pid).join() !== before.join()) problems.push('the helper has changed');
  if (failed.length > 0) problems.push(`${failed.length} runs beside it failed`);
  return problems;
}

export async function mountBelow(context) {
  const { world } = context;
  const late = join(world.shown, 'late');
  const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
  const before = mounts();
  mkdirSync(late);
  const running = context.check({ c: 'remount', args: [600] });
  await sleep(250);
  const leaked = mounts() !== before;
  execFileSync('mount', ['-t', 'tmpfs', 'late', late]);
  writeFileSync(join(late, 'secret'), 'secret');
  const problems = await running;
  execFileSync('umount', [late]);
  rmdirSync(late);
  return leaked ? [...problems, 'a mount from inside shows on the host'] : problems;
}

export async function signalAll(context) {
  const other = context.run({ t: 'sleep-ms', args: [400] });
  const problems = await context.check({ c: 'signal-everyone', args: ['all'] });
  const { verdict } = await other;
  return verdict === 'AC' ? problems : [...problems, `a program of another sandbox ended as ${verdict}`];
}

async function withListener(listenOn, use) {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(...listenOn, resolve));
  try {
    const problems = await use(server.address());
    return visits === 0 ? problems : [...problems, `${visits} connections arrived on the host`];
  } finally {
    server.close();
  }
}

const ABSTRACT = [
  '/containerd-shim/attack.sock',
  '@/tmp/.X11-unix/X0',
  '/org/freedesktop/DBus',
  'sbx-attack',
];

export async function reachSockets(context) {
  const name = `sbx-attack-${process.pid}`;
  return withListener([`\0${name}`], () => context.check({ c: 'open-sockets', args: [name, ...ABSTRACT] }));
}

export async function reachNetwork(context) {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((row) => row?.family === 'IPv4' && !row.internal)?.address;
  return withListener([0, '0.0.0.0'], ({ port }) =>
    context.check({
      py: `
        port, own = int(sys.argv[1]), sys.argv[2]
        targets = [('127.0.0.1', port), (own, port), ('169.254.169.254', 80), ('1.1.1.1', 53), ('10.0.0.1', 80)]
        for host, at in targets:
          for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            s = socket.socket(socket.AF_INET, kind); s.settimeout(0.2)
            tried(f'{host}:{at}/{kind}', lambda: (s.connect((host, at)), s.send(b'x')))
        for host in ('::1', '2606:4700:4700::1111'):
          s = socket.socket(socket.AF_INET6); s.settimeout(0.2)
          tried(host, s.connect, (host, port))
        tried('DNS', socket.getaddrinfo, 'example.com', 80)
        done()`,
      args: [port, own ?? '10.0.0.1'],
    }),
  );
}

/** In core the host writes into a living sandbox; over a server each run has a folder of its own. */
export async function swapWhileCopying(context) {
  const { target, world } = context;
  if (target.engine === undefined) {
    const runs = Array.from({ length: 200 }, () =>
      context.run({ argv: ['/bin/cat', 'd/f'], files: { 'd/f': 'x' }, queued: true }),
    );
    const [problems, ...outcomes] = await Promise.all([
      context.check({ c: 'swap-folder', args: [800], queued: true }),
      ...runs,
    ]);
    const odd = outcomes.filter(({ verdict }) => verdict !== 'AC' && verdict !== 'FE');
    return [...problems, ...odd.slice(0, 2).map(({ verdict, message }) => `${verdict} ${message}`)];
  }
  const sandbox = await target.engine.createSandbox();
  const swapping = sandbox.run('/a/swap-folder', ['600']);
  const hasBegun = () =>
    sandbox.stat('l').then(
      () => true,
      () => false,
    );
  if (!(await becomes(1000, hasBegun))) {
    const { status, stderr } = await swapping;
    await sandbox.close();
    return [`nothing was swapped: ${status} ${stderr.text().slice(0, 200)}`];
  }
  const name = `planted-${process.pid}`;
  const codes = new Map();
  for (let index = 0; index < 200; index += 1) {
    await sleep(1); // spread over many swaps
    const code = await sandbox.writeFile(`d/${name}`, 'x').then(
      () => 'written',
      (error) => error.code,
    );
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const { stdout } = await swapping;
  await sandbox.close();
  context.note(
    `${stdout.text().split('\n')[0]}, ${[...codes].map(([code, n]) => `${code} ${n}`).join(', ')}`,
  );
  const odd = [...codes.keys()].filter((code) => code !== 'written' && !code.startsWith('SBX_FILE_'));
  const places = ['/', world.shown, world.disk, '/usr', '/tmp'];
  const planted = places.filter((place) => readdirSync(place).includes(name));
  return [...odd, ...planted.map((place) => `a file was made in ${place}`)];
}
