// Group G: worlds in which an engine is opened, simulated as far as one machine can.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../harness/open-engine.mjs', import.meta.url));

/** Everything else of the world is as it is. */
const WORLDS = [
  { title: 'as it is', options: {}, may: ['opened'] },
  { title: 'without cgroups, all guarantees wanted', options: { cgroup: 'none' }, may: ['refused'] },
  { title: 'without cgroups, none wanted', options: { cgroup: 'none', require: [] }, may: ['degraded'] },
  { title: 'a cgroup that is not there', options: { cgroup: '/nowhere' }, may: ['refused'] },
  {
    title: 'cgroup file systems read-only',
    prefix: [
      'unshare',
      '-m',
      'sh',
      '-c',
      'mount -o remount,bind,ro /sys/fs/cgroup; for m in /sys/fs/cgroup/*; do mountpoint -q $m && mount -o remount,bind,ro $m; done; exec "$@"',
      'sh',
    ],
    options: {},
    may: ['refused', 'degraded'],
  },
  {
    title: 'no cgroup file system at all',
    prefix: ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /sys/fs/cgroup; exec "$@"', 'sh'],
    options: {},
    may: ['refused'],
  },
  {
    title: 'no cgroup file system, none wanted',
    prefix: ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /sys/fs/cgroup; exec "$@"', 'sh'],
    options: { require: [] },
    may: ['degraded'],
  },
  {
    title: 'another user',
    prefix: ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'],
    options: {},
    may: ['refused', 'degraded'],
  },
  {
    title: 'root without capabilities, as in a container',
    prefix: ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all'],
    options: { require: [] },
    may: ['refused', 'degraded'],
  },
  {
    title: 'user namespaces forbidden',
    prefix: [
      'unshare',
      '-U',
      '-r',
      'sh',
      '-c',
      'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
      'sh',
    ],
    options: { require: [] },
    may: ['refused'],
  },
  {
    title: 'root whose system calls are filtered',
    prefix: ['setpriv', '--no-new-privs'],
    options: {},
    may: ['opened', 'refused'],
  },
];

function openIn({ prefix = [], options }, programs) {
  const [file, ...args] = [...prefix, process.execPath, script, JSON.stringify(options), programs];
  return new Promise((resolve) => {
    execFile(file, args, { timeout: 20_000 }, (error, stdout, stderr) => {
      const line = stdout.trim().split('\n').at(-1);
      resolve(
        line?.startsWith('{')
          ? JSON.parse(line)
          : { opened: false, code: 'none', message: `${error?.message} ${stderr}`.slice(0, 300) },
      );
    });
  });
}

/** Refusals have a code and a sentence; what opens is a sandbox, and says what it lacks. */
function kindOf(answer) {
  if (!answer.opened)
    return /^SBX_(REQUIRED_FEATURE_MISSING|PERMISSION|UNSUPPORTED|SANDBOX_SETUP|INVALID_OPTIONS)/.test(
      answer.code,
    )
      ? 'refused'
      : null;
  if (answer.status !== 'ok' || answer.root.some((name) => ['home', 'root', 'sys', 'boot'].includes(name)))
    return null;
  return answer.degraded.length > 0 || answer.missing.length > 0 ? 'degraded' : 'opened';
}

export async function openEverywhere({ world, note }) {
  const problems = [];
  for (const one of WORLDS) {
    const answer = await openIn(one, world.attackPrograms);
    const kind = kindOf(answer);
    const isFine = one.may.includes(kind) || (kind === 'degraded' && one.may.includes('opened'));
    note(`${one.title}: ${kind ?? 'wrong'}`);
    if (!isFine) problems.push(`${one.title}: ${JSON.stringify(answer).slice(0, 300)}`);
  }
  return problems;
}
