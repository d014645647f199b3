/**
 * What a program is, sees and may do. System calls are tried with arguments that do no harm if let through,
 * so that the errno tells "refused by the filter" from "reached the kernel"; the same calls then run with the
 * filter set to kill, which proves that it was the filter.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS, type OneShotOptions } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { processesOfUids } from '../helpers/proc.mjs';

const sbx = useEngine();

async function lines(program: string, args: string[] = [], options?: OneShotOptions): Promise<string[]> {
  const result = await sbx.engine.run(t(program), args, options);
  expect({ status: result.status, stderr: result.stderr.text() }).toEqual({ status: 'ok', stderr: '' });
  return result.stdout.text().trimEnd().split('\n');
}

/** Dumps to a socket heed 0, dumps by a pipe 1; a host whose hard limit is 0 can give nothing else. */
function coreLimitHere(): number {
  const own = /^Max core file size +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))![1];
  return own === '0' || readFileSync('/proc/sys/kernel/core_pattern', 'utf8').startsWith('@') ? 0 : 1;
}

const words = (text: string) => text.trim().split(/\s+/);

/** `key value` lines as a record. */
function record(rows: readonly string[], separator = ' '): Record<string, string> {
  return Object.fromEntries(
    rows.map((row) => {
      const found = row.indexOf(separator);
      const at = found === -1 ? row.length : found;
      return [row.slice(0, at), row.slice(at + separator.length)];
    }),
  );
}

describe('posture', () => {
  const expected: [key: string, value: string | RegExp][] = [
    ['uids', /^(\d+) \1 \1$/],
    ['gids', /^(\d+) \1 \1$/],
    ['groups', '0'],
    ['Groups', ''],
    ['CapInh', '0000000000000000'],
    ['CapPrm', '0000000000000000'],
    ['CapEff', '0000000000000000'],
    ['CapBnd', '0000000000000000'],
    ['CapAmb', '0000000000000000'],
    ['NoNewPrivs', '1'],
    ['Seccomp', '2'],
    ['hostname', 'sandbox'],
    ['blocked-signals', '0'],
    ['ignored-signals', '0'],
    ['rlimit-rtprio', '0 0'],
    ['rlimit-msgqueue', /^0 0$/],
  ];
  it.each(expected)('%s', async (key, value) => {
    const posture = record(await lines('posture'));
    if (typeof value === 'string') expect(posture[key]).toBe(value);
    else expect(posture[key]).toMatch(value);
  });

  it('is not root, not pid 1, and leads a session of its own', async () => {
    const posture = record(await lines('posture'));
    expect(Number(posture.uids!.split(' ')[0])).toBeGreaterThan(0);
    expect(Number(posture.pid)).toBeGreaterThan(1);
    expect(posture.sid).toBe(posture.pid);
  });

  it('the domain name is not the host’s', async () => {
    const posture = record(await lines('posture'));
    expect(['', '(none)', 'sandbox', 'localdomain']).toContain(posture.domainname);
  });

  it('each concurrent sandbox has a host user of its own', async () => {
    await using first = await sbx.engine.createSandbox();
    await using second = await sbx.engine.createSandbox();
    await using _a = await first.spawn(t('sleep-ms'), ['60000']);
    await using _b = await second.spawn(t('sleep-ms'), ['60000']);
    const rows = processesOfUids(sbx.engine.info().user.uidBase).filter((row) => row.name === 'sleep-ms');
    expect(new Set(rows.map((row) => row.uid)).size).toBe(2);
  });

  it('only descriptors 0, 1 and 2 are open, in one-shot runs and in sessions', async () => {
    expect(await lines('list-fds')).toEqual(['0 1 2']);
    await using sandbox = await sbx.engine.createSandbox();
    await using _other = await sandbox.spawn(t('sleep-ms'), ['60000'], { stdin: 'pipe' });
    expect((await sandbox.run(t('list-fds'))).stdout.text()).toBe('0 1 2\n');
  });

  it('a set-user-id program gains nothing', async () => {
    const script = 'cp /t/posture p && chmod 6755 p && ls -l p | cut -c4,7 >&2 && ./p';
    const result = await sbx.engine.run('/bin/sh', ['-c', script]);
    expect(result.stderr.text()).toBe('ss\n');
    const own = record(await lines('posture'));
    const gained = record(result.stdout.text().trimEnd().split('\n'));
    expect(gained.CapEff).toBe('0000000000000000');
    expect(gained.uids).toBe(own.uids);
    expect(gained.gids).toBe(own.gids);
  });

  it('has the limit of core dumps that it was given, whatever it asks for', async () => {
    const script = `
import resource
before = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no limit where dumps are piped to a handler
try:
    resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
except PermissionError:
    print(resource.getrlimit(resource.RLIMIT_CORE) == before)`;
    const { stdout, stderr } = await sbx.engine.run('python3', ['-c', script]);
    expect([stdout.text(), stderr.text()]).toEqual(['True\n', '']);
    const expected = coreLimitHere();
    expect(record(await lines('posture'))['rlimit-core']).toBe(`${expected} ${expected}`);
  });

  it('the helper’s own file, which is /proc/self/exe until exec, is no program', async () => {
    const script = { text: '#!/proc/self/exe\n', executable: true };
    const refused = { code: 'SBX_PROGRAM_NOT_EXECUTABLE' };
    await expect(sbx.engine.run('/proc/self/exe')).rejects.toMatchObject(refused);
    await expect(sbx.engine.run('./a', [], { files: { a: script } })).rejects.toMatchObject(refused);
  });

  it('cannot raise what it was given', async () => {
    const tried = record(await lines('raise-limits', [], { limits: { openFileCount: 64 } }));
    for (const [what, errno] of Object.entries(tried)) {
      expect(errno, what).toMatch(/^(EPERM|EACCES|EINVAL|ESRCH|ENOMEM|EAGAIN)$/);
    }
    expect(Object.keys(tried)).toHaveLength(8);
  });
});

describe('what it sees', () => {
  it('no process but its own and init', async () => {
    const [pids, self] = await lines('list-pids');
    const own = self!.split(' ')[1]!;
    for (const pid of pids!.split(' ')) expect(['1', own]).toContain(pid);
  });

  const hidden = [
    ...words(`
      /etc/shadow /etc/gshadow /root /home /sys/kernel /sys/firmware /proc/kcore /proc/kmsg /proc/kallsyms
      /proc/keys /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/net/tcp /proc/1/environ
      /proc/1/root/etc/passwd /proc/1/mem /proc/1/maps /dev/kmsg /dev/mem /dev/ptmx /dev/console /dev/tty
      /dev/sda /dev/fuse /dev/net/tun /run/docker.sock /var/lib`),
    process.cwd(),
  ];
  it('nothing of the host that is private', async () => {
    const seen = record(await lines('read-paths', hidden), ': ');
    for (const path of hidden) {
      expect(`${path}: ${seen[path]}`).toMatch(
        /: (ENOENT|EACCES|EPERM|ENXIO|EIO|EROFS|ENOTDIR|ELOOP|ESRCH)$/,
      );
    }
  });

  it('the few files and devices that programs need', async () => {
    const needed = [
      '/dev/null',
      '/dev/zero',
      '/dev/full',
      '/dev/random',
      '/dev/urandom',
      '/etc/passwd',
      '/proc/self/status',
      '/usr',
      '/tmp',
      '/w',
      '/dev/shm',
    ];
    const seen = record(await lines('read-paths', needed), ': ');
    for (const path of needed) expect(`${path}: ${seen[path]}`).toMatch(/: \d+$/);
  });

  it('files of root that others may not read stay closed, even where a mount shows them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isolation-test-'));
    try {
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'root-only'), 'secret', { mode: 0o600 });
      writeFileSync(join(folder, 'group-only'), 'secret', { mode: 0o640 });
      writeFileSync(join(folder, 'open'), 'open', { mode: 0o644 });
      const mounts = [...DEFAULT_MOUNTS, { kind: 'bind', source: folder, target: '/data' } as const];
      await withEngine({ mounts }, async (engine) => {
        const paths = ['/data/root-only', '/data/group-only', '/data/open'];
        const result = await engine.run(t('read-paths'), paths);
        expect(result.stdout.text()).toBe(`${paths[0]}: EACCES\n${paths[1]}: EACCES\n${paths[2]}: 4\n`);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('no name of a host folder in its mount table, its cgroup or its descriptors', async () => {
    const script =
      'cat /proc/self/mountinfo /proc/self/cgroup; for i in 0 1 2; do readlink /proc/self/fd/$i; done';
    const { stdout } = await sbx.engine.run('/bin/sh', ['-c', script]);
    const cgroups = stdout.text().match(/^\d+:[^:]*:.*$/gm) ?? [];
    for (const row of cgroups) expect(row).toMatch(/^\d+:[^:]*:\/$/);
    expect(stdout.text()).toMatch(/pipe:\[\d+\]\n/);
  });

  it('an empty work folder, /tmp and /dev/shm, whatever the run before left', async () => {
    const leave = 'for d in /w /tmp /dev/shm; do echo x > $d/f; done; ipcmk -M 4096 >/dev/null; true';
    await sbx.engine.run('/bin/sh', ['-c', leave]);
    const { stdout } = await sbx.engine.run('/bin/sh', [
      '-c',
      'ls -A /w /tmp /dev/shm; ipcs -m | grep -c 0x',
    ]);
    expect(stdout.text()).toBe('/dev/shm:\n\n/tmp:\n\n/w:\n0\n');
  });
});

describe('what it may write', () => {
  it('not the root, nor anything shared', async () => {
    const paths = [
      '/x',
      '/usr/x',
      '/bin/x',
      '/etc/x',
      '/etc/passwd',
      '/usr/bin/env',
      '/dev/x',
      '/proc/sys/kernel/hostname',
      '/t/x',
    ];
    const tried = record(await lines('write-paths', paths), ': ');
    for (const path of paths) expect(`${path}: ${tried[path]}`).toMatch(/: (EROFS|EACCES|EPERM|ENOENT)$/);
  });

  it('its work folder, /tmp, /dev/shm and /dev/null', async () => {
    const paths = ['/w/x', 'y', '/tmp/x', '/dev/shm/x', '/dev/null'];
    const tried = record(await lines('write-paths', paths), ': ');
    for (const path of paths) expect(`${path}: ${tried[path]}`).toBe(`${path}: OK`);
  });

  it('no device nodes', async () => {
    const { stdout } = await sbx.engine.run('/bin/sh', [
      '-c',
      'mknod n c 1 3 && echo made; mknod b b 8 0 && echo made; true',
    ]);
    expect(stdout.text()).toBe('');
  });
});

describe('whom it may reach', () => {
  it('no network: not the host, not outside, not a metadata service', async () => {
    const server = createServer().listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const own = Object.values(networkInterfaces())
      .flat()
      .find((row) => row?.family === 'IPv4' && !row.internal)?.address;
    const targets = [
      ['tcp', '127.0.0.1', String(port)],
      ['tcp', own ?? '10.0.0.1', String(port)],
      ['tcp', '169.254.169.254', '80'],
      ['tcp', '1.1.1.1', '53'],
      ['udp', '8.8.8.8', '53'],
      ['tcp6', '::1', String(port)],
      ['tcp6', '2606:4700:4700::1111', '53'],
    ];
    try {
      for (const target of targets) {
        const [answer] = await lines('connect-to', target);
        expect(`${target.join(' ')}: ${answer}`).toMatch(
          /: (ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EHOSTUNREACH|ECONNREFUSED)$/,
        );
      }
    } finally {
      server.close();
    }
  });

  it('no abstract socket of the host', async () => {
    const name = `sbx-test-${process.pid}`;
    const server = createServer().listen(`\0${name}`);
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      expect(await lines('connect-to', ['abstract', name])).toEqual(['ECONNREFUSED']);
    } finally {
      server.close();
    }
  });

  it('loopback inside, when asked for, and only then', async () => {
    const closed = await lines('serve-loopback');
    for (const row of closed) expect(row).not.toMatch(/OK$/);
    expect(await lines('serve-loopback', [], { network: 'loopback' })).toEqual(['127.0.0.1: OK', '::1: OK']);
  });

  it('loopback of one sandbox is not that of another', async () => {
    await using first = await sbx.engine.createSandbox({ network: 'loopback' });
    await using second = await sbx.engine.createSandbox({ network: 'loopback' });
    const server =
      'import socket; s=socket.create_server(("127.0.0.1", 5555)); print("up", flush=True); s.accept()';
    await using listener = await first.spawn('python3', ['-c', server], { stdout: 'pipe' });
    for await (const chunk of listener.stdout!) if (Buffer.from(chunk).includes('up')) break;
    const near = await first.run(t('connect-to'), ['tcp', '127.0.0.1', '5555']);
    const other = await second.run(t('connect-to'), ['tcp', '127.0.0.1', '5555']);
    expect([near.stdout.text(), other.stdout.text()]).toEqual(['OK\n', 'ECONNREFUSED\n']);
  });

  it('no signal of it harms anybody but itself', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using other = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const outside = sbx.engine.run(t('sleep-ms'), ['300']);
    const attack = await sbx.engine.run(t('kill-around'));
    expect([attack.status, attack.stdout.text()]).toEqual(['ok', 'alive\n']);
    expect((await outside).status).toBe('ok');
    expect(other.usage().memoryBytes).not.toBe(0);
  });

  it('in a session init survives, and the sandbox goes on', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run(t('kill-around'));
    expect((await sandbox.run(t('true'))).status).toBe('ok');
  });
});

/**
 * The deny-list of docs/security.md; clone, unshare and others of which only a part is refused, with
 * arguments that are.
 */
const refusals = {
  ENOSYS: words(`
    clone3 io_setup,0,0 io_uring_setup io_uring_enter io_uring_register fsopen fsconfig fsmount fspick open_tree open_tree_attr
    move_mount mount_setattr statmount listmount cachestat process_mrelease nfsservctl lookup_dcookie
    lsm_get_self_attr lsm_set_self_attr lsm_list_modules`),
  EPERM: [
    ...words(`
      mount umount2 pivot_root chroot setns ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise
      add_key request_key keyctl bpf perf_event_open userfaultfd memfd_secret name_to_handle_at open_by_handle_at
      fanotify_init init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff iopl ioperm
      modify_ldt acct quotactl quotactl_fd syslog settimeofday clock_settime clock_adjtime adjtimex sethostname
      setdomainname vhangup move_pages migrate_pages mbind set_mempolicy set_mempolicy_home_node uselib ustat sysfs
      _sysctl sched_setattr`),
    'ptrace,16,1,0,0', // PTRACE_ATTACH of init
    'ptrace,0,0,0,0', // PTRACE_TRACEME: init would trace it
    'sched_setattr,0x100000000,0,0',
    'sched_setattr,1,0,0,0,0,0',
    'unshare,0x10000000', // CLONE_NEWUSER
    'unshare,0x00020000', // CLONE_NEWNS
    'unshare,0x40000000', // CLONE_NEWNET
    'unshare,0x00000080', // CLONE_NEWTIME
    'clone,0x10000011,0,0,0,0', // CLONE_NEWUSER | SIGCHLD
    'clone,0x20000011,0,0,0,0', // CLONE_NEWPID | SIGCHLD
    'personality,0x0400000', // READ_IMPLIES_EXEC
    'ioctl,0,0x5412,0', // TIOCSTI
    'ioctl,0,0x100005412,0', // the same with a bit above the low word
    'ioctl,0,0x541c,0', // TIOCLINUX
    'ioctl,0,0x5423,0', // TIOCSETD
    'ioctl,0,0xc0506617,0', // FS_IOC_ADD_ENCRYPTION_KEY
    'ioctl,0,0x8940,0', // SIOCGIFBR
    'ioctl,0,0x100008982,0', // SIOCGIFVLAN, with a bit above the low word
    'ioctl,0,0x89a0,0', // SIOCBRADDBR
    'fcntl,0,1024,0', // F_SETLEASE
    'fcntl,0,0x100000410,0', // F_SETDELEG, with a bit above the low word
  ],
  // MAP_HUGETLB, MFD_HUGETLB, SHM_HUGETLB; 4 GiB.
  ENOMEM: words(
    'mmap,0,0x200000,3,0x40022,-1,0 memfd_create,0,4 shmget,0,4096,0x800 mincore,0,0x100000000,0',
  ),
  EAFNOSUPPORT: words('socket,17,3,0 socket,38,5,0 socket,40,1,0 socket,44,3,0 socket,29,3,1'),
  // Raw sockets of UNIX and of the network, SOCK_PACKET, SOCK_DCCP.
  ESOCKTNOSUPPORT: words(
    'socket,1,3,0 socketpair,1,0x80003,0,-1 socket,2,3,1 socket,10,3,58 socket,2,10,0 socket,2,6,33',
  ),
  ENOPROTOOPT: words(
    `setsockopt,-1,1,26 setsockopt,-1,1,51 setsockopt,-1,6,14 setsockopt,-1,6,32 setsockopt,-1,6,38
      setsockopt,-1,0,35 setsockopt,-1,0,39 setsockopt,-1,0,42 setsockopt,-1,0,46
      setsockopt,-1,41,20 setsockopt,-1,41,42 setsockopt,-1,41,46
      setsockopt,-1,41,6 setsockopt,-1,41,57 setsockopt,-1,41,32 setsockopt,-1,41,1
      setsockopt,-1,1,73 setsockopt,-1,6,31 setsockopt,-1,6,40 setsockopt,-1,17,100 setsockopt,-1,0,64
      setsockopt,-1,282,1 getsockopt,-1,0,64 getsockopt,-1,0,67`,
  ),
};

/** Fail in the same way when the filter kills: libraries try them and do without. */
const probed = {
  EOPNOTSUPP: words('setxattr lsetxattr fsetxattr setxattrat sendto,0,0,0,1 sendmsg,0,0,1 sendmmsg,0,0,0,1'),
  ENOPKG: ['pipe2,0,0x80'], // O_NOTIFICATION_PIPE
  EAFNOSUPPORT: words('socket,16,3,0 socket,16,2,2'), // netlink
  // MPTCP, SCTP and SMC beside TCP; UDPLITE, L2TP and ICMP beside UDP.
  EPROTONOSUPPORT: words(`
    socket,2,1,262 socket,2,0x80801,262 socket,10,1,262 socket,2,1,132 socket,2,1,256 socket,2,2,136 socket,10,2,136
    socket,2,2,115 socket,2,2,1 socket,10,2,58 socketpair,2,1,262,-1`),
  // Filters of its own; cookies of core scheduling; KSM; what kernels have got later.
  EINVAL: words(`
    seccomp,1,0,0 seccomp,1,8,-1 prctl,22,2,0 prctl,62,1,0,0,0 prctl,67,1,0,0,0 prctl,67,0,0,0,0 prctl,0x53564d41,0,0,0,0
    prctl,78,1,16,0,0 prctl,79,0,0,0,0 madvise,0,0,12 madvise,0,0,25
    splice,0,0,1,0,16,0 tee,0,1,16,0 vmsplice,1,0,0,0 fcntl,0,37,-1`),
};

/** Must go on working: runtimes need them. */
const allowed = words(`
  getpid memfd_create,0,0 mmap,0,0,0,0x22,-1,0 socket,1,1,0 socket,1,2,0 socket,1,5,0 socket,2,1,0
  socket,2,0x80801,6 socket,10,2,0 socket,10,2,17 seccomp,2,0,0 prctl,22,3,0 prctl,4,1,0,0,0 madvise,0,0,4 setsockopt,-1,1,2 getsockopt,-1,1,4 pipe2,0,0x80000 sendto,-1,0,0,0x4000 mincore,0,0,0 fsync,-1 fdatasync,-1 personality,0xffffffff personality,0x0040000 unshare,0
  inotify_init1,0 socketpair,1,1,0,-1`);

const strictlyRefused: [call: string, errno: string][] = [
  ['flock', 'EPERM'],
  ['fcntl,0,6,-1', 'EPERM'], // F_SETLK
  ['fcntl,0,37,-1', 'EPERM'], // F_OFD_SETLK
  ['fcntl,0,1025,0', 'EPERM'], // F_GETLEASE
  ['fcntl,0,1026,0', 'EPERM'], // F_NOTIFY
  ['fcntl,0,1036,0', 'EPERM'], // F_SET_RW_HINT
  ['fcntl,0,1040,0', 'EPERM'], // F_SETDELEG
  ['futex,0,11', 'ENOSYS'], // FUTEX_WAIT_REQUEUE_PI
  ['futex,0,0x8c', 'ENOSYS'], // FUTEX_CMP_REQUEUE_PI, private
  ['inotify_init1,0', 'EPERM'],
  ['socket,2,1,0', 'EAFNOSUPPORT'],
  ['socket,10,1,0', 'EAFNOSUPPORT'],
  ['socket,16,3,0', 'EAFNOSUPPORT'],
];

describe('system calls', () => {
  it.each([...Object.entries(refusals), ...Object.entries(probed)])(
    '%s for each of its row',
    async (errno, calls) => {
      const answers = await lines('try-syscalls', calls);
      expect(answers).toEqual(calls.map((call) => `${call.split(',')[0]} ${errno}`));
    },
  );

  it('it is the filter that answers: set to kill, it kills', async () => {
    const { ENOSYS: _, ...killing } = refusals;
    const calls = Object.values(killing).flat();
    for (const call of calls) {
      const result = await sbx.engine.run(t('try-syscalls'), [call], { seccompAction: 'kill' });
      expect(`${call} ${result.status} ${result.exitSignal}`).toBe(`${call} forbidden-syscall SIGSYS`);
    }
  });

  it('what libraries probe for fails in the same way even then', async () => {
    const calls = [...refusals.ENOSYS, ...Object.values(probed).flat()];
    const result = await sbx.engine.run(t('try-syscalls'), calls, { seccompAction: 'kill' });
    expect(result.status).toBe('ok');
  });

  it('what runtimes need is allowed', async () => {
    const answers = await lines('try-syscalls', allowed);
    for (const answer of answers) expect(answer).toMatch(/ (OK|EFAULT|EINVAL|EBADF)$/);
  });

  it('file systems are not written out, the host’s neither: syncfs says so even of none', async () => {
    expect(await lines('try-syscalls', ['sync', 'syncfs,-1'])).toEqual(['sync OK', 'syncfs OK']);
  });

  it('strict refuses locks, leases, inotify and sockets but AF_UNIX', async () => {
    const calls = strictlyRefused.map(([call]) => call);
    const answers = await lines('try-syscalls', [...calls, 'socket,1,1,0'], { seccomp: 'strict' });
    const expected = strictlyRefused.map(([call, errno]) => `${call.split(',')[0]} ${errno}`);
    expect(answers).toEqual([...expected, 'socket OK']);
  });

  it('strict has the CPU guess less, where it can be told to, and for good', async () => {
    const script = `
import ctypes
prctl = ctypes.CDLL(None).prctl
for what in 0, 1:  # PR_SPEC_STORE_BYPASS, PR_SPEC_INDIRECT_BRANCH
    control = prctl(52, what, 0, 0, 0)
    if control & 1:  # can be chosen, so it was
        print(what, control == 9, prctl(53, what, 2, 0, 0))  # forced off; not to be had back`;
    const { stdout, stderr } = await sbx.engine.run('python3', ['-c', script], { seccomp: 'strict' });
    expect(stderr.text()).toBe('');
    expect(stdout.text()).toMatch(/^(0 True -1\n)?(1 True -1\n)?$/);
  });

  it('the default lets locks through', async () => {
    const answers = await lines('try-syscalls', ['flock', 'fcntl,0,6,-1']);
    for (const answer of answers) expect(answer).not.toMatch(/EPERM$/);
  });

  it('where there is a loopback, lists of interfaces are to be had, and nothing else over netlink', async () => {
    const calls = ['socket,16,3,0', 'socket,16,3,4', 'socket,16,2,2', 'socket,16,3,9'];
    const answers = await lines('try-syscalls', calls, { network: 'loopback' });
    expect(answers).toEqual(['socket OK', ...Array(3).fill('socket EAFNOSUPPORT')]);
    const names = 'import socket; print(socket.if_nameindex())';
    const { stdout } = await sbx.engine.run('python3', ['-c', names], { network: 'loopback' });
    expect(stdout.text()).toBe("[(1, 'lo')]\n");
  });

  it('the 32-bit table kills', async () => {
    const result = await sbx.engine.run(t('int80'));
    expect([result.status, result.exitSignal, result.stdout.text()]).toEqual([
      'forbidden-syscall',
      'SIGSYS',
      '',
    ]);
  });

  it('x32 numbers do not exist', async () => {
    expect(await lines('x32')).toEqual(['ENOSYS']);
  });
});
