// A kernel that Debian does not have, built from a source tree for the guest: with the settings of Debian's
// oldest cloud kernel that sbx runs on, less drivers, and what the guest boots with built in.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { KERNELS, kernelHome, MODULE_TOOLS, provideKernel } from './kernels.mjs';
import { runQuietly } from './run.mjs';
import { provideSystemPackages } from './system-packages.mjs';

const TOOLS = [
  ...MODULE_TOOLS,
  { package: 'make', probes: ['/usr/bin/make'], why: 'building a kernel' },
  { package: 'gcc', probes: ['/usr/bin/gcc'], why: 'building a kernel' },
  { package: 'flex', probes: ['/usr/bin/flex'], why: 'building a kernel' },
  { package: 'bison', probes: ['/usr/bin/bison'], why: 'building a kernel' },
  { package: 'bc', probes: ['/usr/bin/bc'], why: 'building a kernel' },
  { package: 'libelf-dev', probes: ['/usr/include/libelf.h'], why: 'building a kernel' },
  { package: 'libssl-dev', probes: ['/usr/include/openssl/ssl.h'], why: 'building a kernel' },
];
/** Root, console and ports of the guest (test/vm/run-in-vm). */
const BUILT_IN = ['VIRTIO_PCI', 'VIRTIO_CONSOLE', 'VIRTIO_FS', 'FUSE_FS', 'SERIAL_8250_CONSOLE'];
/** The one module: `init` of the guest loads it by hand. */
const OVERLAY = 'OVERLAY_FS';
/** What no test needs and takes the most time, and what needs keys or tools of Debian's. */
const LEFT_OUT = [
  'DEBUG_INFO',
  'DEBUG_INFO_BTF',
  'DRM',
  'ETHERNET',
  'HYPERV',
  'KVM',
  'MODULE_SIG',
  'SOUND',
  'SYSTEM_TRUSTED_KEYRING',
  'USB_SUPPORT',
  'WLAN',
  'XEN',
];

/** As of `KERNELS`, of the tree at `source`; built when it was not before. */
export async function buildKernel(source) {
  const tree = resolve(source);
  if (!existsSync(join(tree, 'Kconfig'))) throw new Error(`--source ${source} is no source tree of Linux.`);
  if ((await provideSystemPackages(TOOLS)).length > 0) throw new Error('Linux cannot be built without them.');
  const make = (...args) => runQuietly('make', ['-s', '-C', tree, ...args]);
  const version = (await make('kernelversion')).trim();
  const kernel = { version, package: `linux-${version}-from-source`, isRefused: false };
  const home = kernelHome(kernel.package);
  if (existsSync(join(home, 'ready'))) return kernel;
  console.error(`test: building Linux ${version}, a quarter of an hour on two CPUs …`);
  rmSync(home, { recursive: true, force: true });
  const build = join(home, 'build');
  mkdirSync(build, { recursive: true });
  const here = (...args) => make(`O=${build}`, ...args);
  await configure(tree, build, here);
  await here(`-j${availableParallelism()}`, 'bzImage', 'modules');
  await here(`INSTALL_MOD_PATH=${home}`, 'modules_install'); // runs depmod
  const release = (await here('kernelrelease')).trim();
  await runQuietly('cp', [join(build, 'arch/x86/boot/bzImage'), join(home, 'vmlinuz')]);
  rmSync(build, { recursive: true });
  symlinkSync(join('lib/modules', release), join(home, 'modules'));
  writeFileSync(join(home, 'ready'), '');
  return kernel;
}

async function configure(tree, build, make) {
  const debian = KERNELS.find(({ suite, isRefused }) => suite !== null && !isRefused);
  await provideKernel(debian);
  const release = debian.package.replace('linux-image-', '');
  const settings = readFileSync(join(kernelHome(debian.package), 'boot', `config-${release}`), 'utf8');
  const own = settings.replaceAll(/^(CONFIG_\w+)=m$/gm, '# $1 is not set');
  writeFileSync(join(build, '.config'), own);
  const switches = [
    ...LEFT_OUT.flatMap((name) => ['--disable', name]),
    ...BUILT_IN.flatMap((name) => ['--enable', name]),
    ...['--module', OVERLAY, '--set-str', 'SYSTEM_TRUSTED_KEYS', ''],
  ];
  await runQuietly(join(tree, 'scripts/config'), ['--file', join(build, '.config'), ...switches]);
  await make('olddefconfig');
}
