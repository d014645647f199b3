/** Whether this process makes sandboxes by rights of its own. */
import { readFileSync } from 'node:fs';

const CAP_SYS_ADMIN = 21n;

/**
 * Without CAP_SYS_ADMIN everything happens in a user namespace, as for any ordinary user: also as root of a
 * container that drops it, which is what container runtimes do.
 */
export function isRootless(uid = process.geteuid!(), status = ownStatus()): boolean {
  if (uid !== 0) return true;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 0n;
}

function ownStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return ''; // no /proc here: the first step that is refused says so
  }
}
