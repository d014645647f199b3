// Group A: out of the sandbox.
import {
  mountBelow,
  overwriteHelper,
  reachNetwork,
  reachSockets,
  signalAll,
  swapWhileCopying,
} from '../scenarios/escape.mjs';

const words = (text) => text.trim().split(/\s+/);

/** What a refused run must not have shown. */
const lacksOutput = (pattern, what) => (one) =>
  pattern.test(one.stdout + one.stderr) ? [`shows ${what}`] : [];

const MOUNT_CALLS = words(
  'fsopen fsconfig fsmount fspick open_tree move_mount mount_setattr statmount listmount',
);
const ADMIN_CALLS = words(`
  init_module finit_module delete_module kexec_load reboot,0xfee1dead,672274793,0 swapon swapoff iopl,3 ioperm,0,1024,1
  settimeofday clock_settime,0 clock_adjtime,0 adjtimex sethostname setdomainname acct,0 vhangup quotactl`);

/** /proc and terminals that must not be there; only own ones with a terminal. */
const TERMINALS = words(
  '/dev/ptmx /dev/pts/ptmx /dev/pts/0 /dev/pts/1 /dev/console /dev/tty0 /dev/tty1 /dev/ttyS0',
);

export const ESCAPE = [
  {
    id: 1,
    name: 'leave a chroot by a folder held open',
    expected: 'chroot denied; the root is the sandbox’s',
    cases: [{ c: 'chroot-break' }],
  },
  {
    id: 2,
    name: 'reach other processes’ roots by number',
    expected: 'no foreign process visible, pid 1 closed',
    cases: [{ c: 'foreign-roots' }],
  },
  {
    id: 3,
    name: 'find a descriptor that somebody left open',
    expected: 'EBADF for all but the requested ones',
    cases: [{ c: 'fd-walk' }, { c: 'fd-walk', pty: true, title: 'with a terminal' }],
  },
  {
    id: 4,
    name: 'have the client start in, or copy from, a magic link',
    expected: 'refused or FE, never content of the host',
    cases: [
      ...['/proc/self/fd/7', '/proc/1/cwd', '/proc/1/root'].map((cwd) => ({
        title: `cwd ${cwd}`,
        on: 'core',
        sh: 'pwd; ls -A',
        core: { cwd },
        verdicts: ['REFUSED'],
        says: lacksOutput(/packages|root|home/, 'a folder of the host'),
      })),
      ...['/proc/self/fd/7', '/proc/1/cwd/etc/passwd', '/proc/self/environ'].map((path) => ({
        title: `copyOut ${path}`,
        sh: 'echo done',
        copyOut: [path],
        verdicts: ['FE', 'REFUSED'],
        says: (one) => (Object.keys(one.files).length > 0 ? ['content came out'] : []),
      })),
    ],
  },
  {
    id: 5,
    name: 'overwrite the helper through /proc/self/exe while runs start',
    expected: 'refused; the helper’s hash unchanged',
    attack: overwriteHelper,
  },
  {
    id: 6,
    name: 'become root of a user namespace',
    expected: 'denied',
    cases: [{ c: 'own-namespaces', args: ['unshare'] }],
  },
  {
    id: 7,
    name: 'clone into namespaces, clone3 included',
    expected: 'EPERM; ENOSYS',
    cases: [{ c: 'own-namespaces', args: ['clone'] }],
  },
  {
    id: 8,
    name: 'enter other namespaces',
    expected: 'denied',
    cases: [{ c: 'own-namespaces', args: ['setns'] }],
  },
  {
    id: 9,
    name: 'change mounts, or wait for the host to mount something',
    expected: 'denied; masks stay; nothing crosses in either direction',
    attack: mountBelow,
  },
  {
    id: 10,
    name: 'mount by the new calls',
    expected: 'ENOSYS',
    cases: [{ c: 'call-all', args: ['ENOSYS', ...MOUNT_CALLS] }],
  },
  {
    id: 11,
    name: 'write into the shared root',
    expected: 'EROFS',
    cases: [
      {
        sh: `
          for f in /usr/x /usr/bin/x /bin/x /etc/x /x /etc/passwd /usr/bin/env /dev/x /a/x /data/x /proc/x /lib/x; do
            tried "$f" sh -c "echo x > $f"
          done
          tried remount mount -o remount,rw /
          tried "remount /usr" mount -o remount,rw,bind /usr
          tried "remove" rm -f /usr/bin/env
          tried "rename" mv /usr/bin/env /usr/bin/env2
          done_`,
      },
    ],
  },
  {
    id: 12,
    name: 'gain rights by set-user-id programs and file capabilities',
    expected: 'user unchanged, no capability',
    cases: [
      {
        sh: `
          cp /a/gain-rights p && chmod 6755 p && ./p
          tried setcap setcap cap_sys_admin+ep p
          tried su su -c id
          tried mount mount -t tmpfs x /tmp
          for p in /bin/su /bin/mount /usr/bin/passwd; do [ -u $p ] && echo "$p has the bit"; done
          done_`,
      },
    ],
  },
  { id: 13, name: 'make and open devices', expected: 'EPERM; never opens', cases: [{ c: 'device-nodes' }] },
  {
    id: 14,
    name: 'trace or rewrite init and others',
    expected: 'denied',
    cases: [{ c: 'take-over', gojudge: { env: ['MAY_ATTACH_TO_SIBLINGS=1'] } }],
  },
  {
    id: 15,
    name: 'kill init by every signal and every number',
    expected: 'init lives, the verdict is normal',
    cases: [{ c: 'signal-everyone', args: ['init'] }],
  },
  {
    id: 16,
    name: 'kill everything that can be seen',
    expected: 'AC; other sandboxes untouched',
    attack: signalAll,
  },
  {
    id: 17,
    name: 'run a program of the host by a cgroup’s release agent',
    expected: 'nothing mounted, denied',
    cases: [
      {
        sh: `
          mkdir g; for t in cgroup cgroup2; do tried "mount $t" mount -t $t none g; done
          for f in /sys/fs/cgroup /proc/1/cgroup; do tried $f cat $f; done
          found=$(find / -xdev \\( -name cgroup.procs -o -name release_agent \\) 2>/dev/null | head -1)
          [ -z "$found" ] || echo "GOT $found"
          tried "own cgroup by number" sh -c 'echo $$ > /sys/fs/cgroup/cgroup.procs'
          done_`,
      },
    ],
  },
  {
    id: 18,
    name: 'type into the server’s terminal',
    expected: 'denied, with a terminal as well',
    cases: [
      { c: 'terminal-input' },
      { c: 'terminal-input', pty: true, title: 'with a terminal', quiet: true },
    ],
  },
  {
    id: 19,
    name: 'pass the filter by the 32-bit and x32 tables',
    expected: 'DS or ENOSYS',
    cases: [
      { c: 'old-tables', verdicts: ['AC', 'DS'] },
      { t: 'int80', verdicts: ['DS'], quiet: true },
    ],
  },
  {
    id: 20,
    name: 'do sockets and files past the filter by io_uring',
    expected: 'ENOSYS',
    cases: [{ c: 'call-all', args: ['ENOSYS', 'io_uring_setup,8', 'io_uring_enter', 'io_uring_register'] }],
  },
  {
    id: 21,
    name: 'use kernel keyrings',
    expected: 'denied, no file',
    cases: [
      { c: 'call-all', args: ['EPERM', 'add_key', 'request_key', 'keyctl,1,0', 'keyctl,0,-3,1'] },
      { sh: 'tried keys cat /proc/keys; tried users cat /proc/key-users; done_' },
    ],
  },
  {
    id: 22,
    name: 'use the favourites of exploits',
    expected: 'denied',
    cases: [
      { c: 'call-all', args: ['EPERM', 'bpf,0', 'perf_event_open', 'userfaultfd,1', 'memfd_secret,0'] },
    ],
  },
  {
    id: 23,
    name: 'open inodes of the host by handle, watch its file systems',
    expected: 'EPERM for all',
    cases: [{ c: 'file-handles' }],
  },
  {
    id: 24,
    name: 'do what only the administrator does',
    expected: 'denied',
    cases: [{ c: 'call-all', args: ['EPERM', ...ADMIN_CALLS] }],
  },
  {
    id: 25,
    name: 'connect to daemons’ sockets',
    expected: 'ECONNREFUSED, ENOENT',
    attack: reachSockets,
  },
  {
    id: 26,
    name: 'reach the server, the host, a metadata service, the internet, DNS',
    expected: 'ENETUNREACH, ECONNREFUSED',
    attack: reachNetwork,
  },
  {
    id: 27,
    name: 'open sockets of families, types and protocols that reach past a sandbox',
    expected: 'EAFNOSUPPORT, ESOCKTNOSUPPORT, EPROTONOSUPPORT',
    cases: [{ c: 'open-sockets' }],
  },
  {
    id: 28,
    name: 'change kernel settings and security attributes',
    expected: 'absent, EROFS or EACCES',
    cases: [
      {
        sh: `
          for f in sys/kernel/core_pattern sys/kernel/modprobe sys/kernel/hostname sys/vm/overcommit_memory \\
            sysrq-trigger self/attr/current self/attr/exec self/attr/fscreate self/oom_score_adj_ irq/default_smp_affinity; do
            tried /proc/$f sh -c "echo x > /proc/$f"
          done
          tried "lower oom score" sh -c 'echo -1000 > /proc/self/oom_score_adj'
          done_`,
      },
    ],
  },
  {
    id: 29,
    name: 'swap a folder for a link to / while the client copies into it',
    expected: 'no file ever outside the work folder; AC or FE',
    attack: swapWhileCopying,
  },
  {
    id: 30,
    name: 'open terminals of others',
    expected: 'none without a terminal of its own; only its own with one',
    cases: [
      { sh: `for f in ${TERMINALS.join(' ')} /dev/tty; do tried $f sh -c ": < $f"; done; done_` },
      {
        title: 'with a terminal',
        pty: true,
        py: `
          for f in '/dev/console /dev/tty0 /dev/ttyS0'.split(): tried(f, open, f)
          own = os.ttyname(0) if os.path.exists('/dev/pts/0') else None
          for n in os.listdir('/dev/pts') if os.path.isdir('/dev/pts') else []:
            path = f'/dev/pts/{n}'
            if path != own and n != 'ptmx': tried(path, open, path)
          done()`,
        says: (one) => (/^done\r?$/m.test(one.stdout) ? [] : ['did not try everything']),
        quiet: true,
      },
    ],
  },
];
