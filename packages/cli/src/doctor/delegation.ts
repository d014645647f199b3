/** The command by which this process, or the next one like it, gets a cgroup of its own. */
import type { Facts } from './facts.js';

const CONTAINER_FLAGS = [
  'seccomp=unconfined',
  'apparmor=unconfined',
  'systempaths=unconfined',
  'writable-cgroups=true',
];
/** In the name of a hierarchy, alone or beside others. */
const V1_NEEDED = /[/,](cpu|cpuacct|memory|pids)([/,]|$)/;

/** `undefined`: no command of a shell does it here. */
export function delegationCommand({ container, cgroup, uid, hasSystemd }: Facts): string | undefined {
  if (container === 'docker' || container === 'podman')
    return `${container} run ${CONTAINER_FLAGS.map((flag) => `--security-opt ${flag}`).join(' ')} IMAGE`;
  if (container !== null && container !== 'wsl') return undefined;
  if (hasSystemd && cgroup.version === 'v2') return 'systemd-run --user --scope -p Delegate=yes -- COMMAND';
  if (cgroup.version === 'v2' || cgroup.version === 'none') return undefined;
  const folders = cgroup.folders.filter((folder) => V1_NEEDED.test(folder));
  const own = `$folder/sbx-${uid}`;
  const steps = `mkdir -p "${own}"; chown -R ${uid} "${own}"; echo "$0" > "${own}/cgroup.procs"`;
  return `sudo sh -c 'for folder in ${folders.map(quotedInside).join(' ')}; do ${steps}; done' $$`;
}

/** A word of a script that stands in single quotes. systemd puts backslashes into names. */
function quotedInside(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `"${word.replace(/["$`\\]/g, '\\$&').replaceAll("'", `'\\''`)}"`;
}
