// Kernels of Debian, for the guest: fetched and unpacked where test/vm/run-in-vm looks for them.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { unpackDebian } from './debian.mjs';
import { provideSystemPackages } from './system-packages.mjs';

/** Oldest first. `isRefused`: too old for sbx, which has to say so. */
export const KERNELS = [
  { version: '5.10', suite: 'bullseye', package: 'linux-image-5.10.0-32-cloud-amd64', isRefused: true },
  { version: '6.1', suite: 'bookworm', package: 'linux-image-6.1.0-50-cloud-amd64', isRefused: false },
  { version: '6.12', suite: null, package: 'linux-image-6.12-cloud-amd64', isRefused: false },
];

const DEPMOD = '/usr/sbin/depmod';
export const MODULE_TOOLS = [{ package: 'kmod', probes: [DEPMOD], why: 'the list of a kernel’s modules' }];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'run-in-vm');

/** Where run-in-vm looks for the kernel that `VM_KERNEL` names. */
export const kernelHome = (name) => join(cache, name);

/** `suite: null`: run-in-vm gets it by itself. */
export async function provideKernel({ suite, package: name }) {
  const home = kernelHome(name);
  if (suite === null || existsSync(join(home, 'ready'))) return;
  if ((await provideSystemPackages(MODULE_TOOLS)).length > 0)
    throw new Error(`${name} cannot be prepared without ${DEPMOD}.`);
  mkdirSync(cache, { recursive: true });
  const draft = `${home}.${process.pid}`;
  try {
    await unpackDebian(draft, { suite, arch: 'amd64', packages: [name] });
    const image = readdirSync(join(draft, 'boot')).find((file) => file.startsWith('vmlinuz-'));
    renameSync(join(draft, 'boot', image), join(draft, 'vmlinuz'));
    const [release] = readdirSync(join(draft, 'lib/modules'));
    execFileSync(DEPMOD, ['-b', draft, release]);
    symlinkSync(join('lib/modules', release), join(draft, 'modules'));
    writeFileSync(join(draft, 'ready'), '');
    rmSync(home, { recursive: true, force: true });
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
