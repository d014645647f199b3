// Descriptors of init and of a child right before its exec, seen from outside.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

const attempt = (work, otherwise) => {
  try {
    return work();
  } catch {
    return otherwise;
  }
};

const childrenOf = (pid) =>
  attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), '')
    .split(' ')
    .filter(Boolean)
    .map(Number);

const isHelper = (pid) => attempt(() => readlinkSync(`/proc/${pid}/exe`), '').startsWith('/memfd:sbx-helper');
const nameOf = (pid) => attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), '');

/** Of the file systems that this process sees: the host's. */
export function hostDevices() {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  return new Set(lines.map((line) => line.split(' ')[2]));
}

// As glibc's gnu_dev_major and gnu_dev_minor.
const majorMinor = (dev) => {
  const device = BigInt(dev);
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
};

/** `[{ fd, target, folder }]`: what each descriptor is, and for a folder the device that it is on. */
export function descriptorsOf(pid) {
  return attempt(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
    const path = `/proc/${pid}/fd/${fd}`;
    const target = attempt(() => readlinkSync(path), null);
    const status = attempt(() => statSync(path, { bigint: true }), null);
    if (target === null) return [];
    return [{ fd: Number(fd), target, folder: status?.isDirectory() ? majorMinor(status.dev) : null }];
  });
}

/** nanosleep of a start that waits for its file, by architecture. */
const SLEEPS = { x64: ['35', '230'], arm64: ['101', '115'] };
const isRightBeforeExec = (pid) =>
  SLEEPS[process.arch].includes(
    attempt(() => readFileSync(`/proc/${pid}/syscall`, 'utf8'), '').split(' ')[0],
  );

/**
 * Inits below a host process that have a child right before its exec: `[{ init, child }]` with descriptors of
 * both.
 */
export function starting(host) {
  const found = [];
  for (const zygote of childrenOf(host).filter(isHelper))
    for (const keeper of childrenOf(zygote).filter(isHelper))
      for (const init of childrenOf(keeper).filter(isHelper))
        for (const child of childrenOf(init).filter(isHelper)) {
          if (!isRightBeforeExec(child)) continue;
          const rows = { init: descriptorsOf(init), child: descriptorsOf(child) };
          // It may have gone on, or failed, while we looked.
          if (isHelper(child) && isRightBeforeExec(child)) found.push({ name: nameOf(init), ...rows });
        }
  return found;
}
