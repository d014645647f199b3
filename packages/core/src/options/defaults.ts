/**
 * Defaults of an engine for its sandboxes: the environment and the root. Rows name what programs need
 * and nothing that tells about the host (no resolv.conf, machine-id, shadow, fstab, os users).
 */
import type { MountRow } from '../types/mounts.js';

/** Work folder inside, and home of the account that programs run under. */
export const DEFAULT_WORK_DIR = '/w';
/** Host name inside. */
export const DEFAULT_HOSTNAME = 'sandbox';
/** As the kernel says that there is none. */
export const DEFAULT_DOMAINNAME = '(none)';
/** User and group id of programs, as they see it. */
export const SANDBOX_UID = 1000;
/** File mode creation mask of programs. */
export const DEFAULT_UMASK = 0o022;

/** Sandboxes alive at the same time. */
export const DEFAULT_MAX_SANDBOXES = 256;

/** Host ids that an engine counts up from its first one: two per slot, and room for slots that end late. */
export function hostIdCount(maxSandboxes: number): number {
  return maxSandboxes * 4 + 64;
}

/** Names that hosts may lack, after all of the host's own. */
const EXTRA_BIN = '/opt/sbx/bin';

/** The whole environment of a program that is given none. Nothing of the host is passed. */
export const DEFAULT_ENV: Readonly<Record<string, string>> = Object.freeze({
  PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${EXTRA_BIN}`,
  HOME: DEFAULT_WORK_DIR,
  // glibc has C.UTF-8 built in: UTF-8 without any locale installed, and the same order of sorting everywhere.
  LANG: 'C.UTF-8',
});

/** Of OpenJDK packages in Debian and Ubuntu; each has its own folder of settings. */
const JAVA_VERSIONS = [8, 11, 17, 21, 25];

/**
 * The default root for a host name, a work folder and a user, which appear in generated files. Binds of host
 * symlinks (`/bin` on a merged-usr host) become the same symlinks.
 */
export function defaultMounts(
  hostname: string = DEFAULT_HOSTNAME,
  workDir: string = DEFAULT_WORK_DIR,
  uid: number = SANDBOX_UID,
): readonly MountRow[] {
  return Object.freeze(
    [...systemFolders(), ...systemSettings(), ...generatedFiles(hostname, workDir, uid)].map(freeze),
  );
}

function freeze(row: MountRow): MountRow {
  return Object.freeze(row);
}

/** Programs and libraries. Executable also where only libraries lie: mapping code needs it. */
function systemFolders(): MountRow[] {
  return [
    { kind: 'bind', source: '/usr', executable: true },
    // Symlinks into /usr on merged-usr hosts, folders on older ones.
    { kind: 'bind', source: '/bin', executable: true, optional: true },
    { kind: 'bind', source: '/sbin', executable: true, optional: true },
    { kind: 'bind', source: '/lib', executable: true, optional: true },
    // The loader of x64 programs is named /lib64/ld-linux-x86-64.so.2 in each of them.
    { kind: 'bind', source: '/lib64', executable: true, optional: true },
    // Libraries of 32-bit and x32 programs (g++ -m32 links them; running such programs is the filter's
    // question).
    { kind: 'bind', source: '/lib32', executable: true, optional: true },
    { kind: 'bind', source: '/libx32', executable: true, optional: true },
  ];
}

/** Settings of the host that programs fail or misbehave without. All are world-readable parts of packages. */
function systemSettings(): MountRow[] {
  return [
    // cc, c++, awk, java, javac, editor: /usr/bin/x → /etc/alternatives/x → the real file.
    optionalBind('/etc/alternatives'),
    // Where libraries outside the standard folders are; without the cache the loader searches slowly or
    // fails.
    optionalBind('/etc/ld.so.cache'),
    // gcc's linker reads these for libraries that libraries need.
    optionalBind('/etc/ld.so.conf'),
    optionalBind('/etc/ld.so.conf.d'),
    // Time zone of the host, for local time in output.
    optionalBind('/etc/localtime'),
    // Certificates: Python, Node and curl load them at start of TLS; the JDK's cacerts is a link to
    // certs/java. Never /etc/ssl itself: it holds the host's private keys.
    optionalBind('/etc/ssl/certs'),
    // Target of /usr/lib/ssl/openssl.cnf; openssl and Python's ssl warn or differ without.
    optionalBind('/etc/ssl/openssl.cnf'),
    // Java's lib/jvm.cfg, java.security, blocked.certs and others are links into it: without jvm.cfg no JVM
    // starts.
    ...JAVA_VERSIONS.map((version) => optionalBind(`/etc/java-${version}-openjdk`)),
  ];
}

function optionalBind(source: string): MountRow {
  return { kind: 'bind', source, optional: true };
}

/** Written here, since the host's own name its users and machines. */
export function generatedFiles(
  hostname: string = DEFAULT_HOSTNAME,
  workDir: string = DEFAULT_WORK_DIR,
  uid: number = SANDBOX_UID,
): MountRow[] {
  const other = uid === 0 ? [] : [`sandbox:x:${uid}:${uid}:sandbox:${workDir}:/bin/sh`];
  return [
    // getpwuid of the own id: Python's expanduser, git, ssh, the JVM's user.home and user.name, BEAM.
    file('/etc/passwd', [
      uid === 0 ? `root:x:0:0:root:${workDir}:/bin/sh` : 'root:x:0:0:root:/root:/usr/sbin/nologin',
      ...other,
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    ]),
    file('/etc/group', ['root:x:0:', ...(uid === 0 ? [] : [`sandbox:x:${uid}:`]), 'nogroup:x:65534:']),
    // localhost must resolve without DNS; the own name as well, which the JVM's and BEAM's getLocalHost ask
    // for.
    file('/etc/hosts', [`127.0.0.1 localhost ${hostname}`, '::1 localhost ip6-localhost ip6-loopback']),
    // Files only: else glibc loads the host's modules for LDAP, systemd and mDNS, and DNS waits for a
    // time-out.
    file('/etc/nsswitch.conf', [
      'passwd: files',
      'group: files',
      'hosts: files',
      'networks: files',
      'services: files',
      'protocols: files',
    ]),
    file('/etc/hostname', [hostname]),
    // Debian has python3 alone, and half of what models write says python.
    { kind: 'symlink', target: `${EXTRA_BIN}/python`, to: '/usr/bin/python3' },
  ];
}

function file(target: string, lines: readonly string[]): MountRow {
  return { kind: 'file', target, text: `${lines.join('\n')}\n`, mode: 0o644 };
}

/** The default root, see `defaultMounts`. */
export const DEFAULT_MOUNTS: readonly MountRow[] = defaultMounts();
