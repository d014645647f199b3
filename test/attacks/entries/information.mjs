// Group B: what programs can learn.
import { existsSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import {
  askPageCache,
  leaveAndLook,
  lockBits,
  otherChannels,
  reachConcurrent,
  staleBuffers,
} from '../scenarios/information.mjs';

const words = (text) => text.trim().split(/\s+/);

/** `says`: none of these may be in what it printed. */
const mustLack = (patterns) => (one, context) =>
  (typeof patterns === 'function' ? patterns(context) : patterns)
    .filter((text) => text !== '' && `${one.stdout}${one.stderr}`.includes(text))
    .map((text) => `shows ${JSON.stringify(text)}`);

const machine = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');

const PROC_FILES = words(`
  kallsyms kcore kmsg keys key-users timer_list sched_debug latency_stats interrupts modules config.gz iomem slabinfo
  vmallocinfo pagetypeinfo zoneinfo cmdline version mounts_ net/tcp net/unix net/dev 1/mounts 1/net/tcp buddyinfo
  partitions diskstats swaps meminfo stat loadavg uptime bus/pci/devices acpi asound scsi fs/ext4 driver tty/drivers
  sysvipc/shm`);

const FOLDERS = ['/w', '/tmp', '/dev/shm', '/var/tmp', '/run/lock', '/run', '/var/lock'];

const SEARCH_ANSWER = `
  for f in /proc/*/environ /proc/*/cmdline /proc/*/fd/* /dev/fd/*; do
    dd iflag=nonblock if=$f bs=64k count=1 2>/dev/null
  done | grep -a answer-
  find / -xdev -newermt '1 hour ago' -type f -not -path '/proc/*' 2>/dev/null | xargs -r grep -l answer- 2>/dev/null
  for d in /w /tmp /dev/shm /data /disk /etc /run /var /root /home; do grep -r answer- $d 2>/dev/null; done
  done_`;

const INCLUDES = {
  'include.c': '#include "/etc/shadow"\nint main(){}\n',
  'incbin.c': '__asm__(".incbin \\"/etc/shadow\\"");\nint main(){}\n',
  'embed.c': 'const char a[] = {\n#embed "/etc/shadow"\n};\nint main(){}\n',
  'root.c': '#include "/root/.bashrc"\n#include "/proc/1/environ"\nint main(){}\n',
};

export const INFORMATION = [
  {
    id: 31,
    name: 'read the server’s environment',
    expected: 'only the request’s variables',
    cases: [
      {
        sh: 'printenv; cat /proc/self/environ /proc/1/environ /proc/$PPID/environ 2>/dev/null | tr "\\0" "\\n"; done_',
        env: { PATH: '/usr/bin:/bin', MINE: '1' },
        says: mustLack(({ world }) => ['SECRET', world.answer, 'TMPDIR', 'npm_']),
      },
    ],
  },
  {
    id: 32,
    name: 'list and read the processes of others',
    expected: 'only its own',
    cases: [{ c: 'foreign-processes' }],
  },
  {
    id: 33,
    name: 'read what /proc tells about the machine',
    expected: 'ENOENT, or empty',
    cases: [{ sh: `for f in ${PROC_FILES.join(' ')}; do tried $f test -s /proc/$f; done; done_` }],
  },
  {
    id: 34,
    name: 'read /sys',
    expected: 'no /sys',
    cases: [
      {
        sh: `
          for f in /sys/firmware /sys/devices/virtual/powercap /sys/class/powercap /sys/kernel /sys/fs/cgroup /sys/class/net \\
            /sys/devices/system/cpu/cpu0/thermal_throttle; do tried $f ls $f; done; done_`,
      },
    ],
  },
  {
    id: 35,
    name: 'read the kernel’s log',
    expected: 'denied, ENOENT',
    cases: [
      { c: 'call-all', args: ['EPERM', 'syslog,3', 'syslog,10,0,0', 'syslog,2'] },
      { sh: 'tried kmsg head -c 1 /dev/kmsg; tried proc head -c 1 /proc/kmsg; tried dmesg dmesg; done_' },
    ],
  },
  {
    id: 36,
    name: 'learn names of the host from its mounts, groups and descriptors',
    expected: 'no path of the host; cgroup /',
    cases: [
      {
        // What the caller mounts from elsewhere is the caller's to name: see docs/security.md, "Not
        // promised".
        sh: `
          grep -v -e ' /a ' -e ' /t ' -e ' /data ' -e ' /disk ' /proc/self/mountinfo
          for row in $(cut -d: -f3 /proc/self/cgroup); do [ "$row" = / ] || echo "GOT cgroup $row"; done
          for i in 0 1 2; do readlink /proc/self/fd/$i; done
          done_`,
        says: mustLack(({ world }) => [
          world.folder,
          process.cwd(),
          `/${userInfo().username}/`,
          '/home',
          hostname() === 'sandbox' ? '' : hostname(),
        ]),
      },
    ],
  },
  {
    id: 37,
    name: 'learn which machine it is',
    expected: 'fixed names',
    cases: [
      {
        sh: `uname -n; hostname 2>/dev/null; domainname 2>/dev/null; cat /etc/hostname
          for f in /etc/machine-id /var/lib/dbus/machine-id /proc/sys/kernel/random/boot_id /proc/sys/kernel/hostname; do
            tried $f test -s $f
          done; done_`,
        says: mustLack(() => [machine('/etc/machine-id'), machine('/proc/sys/kernel/random/boot_id')]),
      },
    ],
  },
  {
    id: 38,
    name: 'read private files of the host',
    expected: 'ENOENT, EACCES',
    cases: [
      {
        sh: `
          for f in /etc/shadow /etc/gshadow /root /home ~/.ssh /root/.ssh/id_rsa /run/secrets /var/lib /var/log /boot /srv \\
            /etc/ssh /etc/ssl/private /etc/resolv.conf /etc/fstab "$1" "$2"; do tried $f ls $f; done; done_`,
        args: [process.cwd(), '/var/tmp'],
      },
    ],
  },
  {
    id: 39,
    name: 'read files of root by group or by user',
    expected: 'no groups; both EACCES',
    cases: [
      {
        sh: `
          [ "$(id -G)" = "$(id -g)" ] || echo "GOT groups $(id -G)"
          tried 0600 cat /data/root-only; tried 0640 cat /data/group-only
          cat /data/open >/dev/null && done_`,
      },
    ],
  },
  {
    id: 40,
    name: 'find files that an earlier run left',
    expected: 'sees nothing',
    attack: leaveAndLook(
      { sh: `for d in ${FOLDERS.join(' ')}; do echo secret > $d/left; done; done_` },
      { sh: `for d in ${FOLDERS.join(' ')}; do tried $d test -e $d/left; done; done_` },
    ),
  },
  {
    id: 41,
    name: 'find System V and POSIX objects of an earlier run',
    expected: 'sees nothing',
    attack: leaveAndLook({ c: 'ipc-objects', args: ['leave'] }, { c: 'ipc-objects', args: ['look'] }),
  },
  {
    id: 42,
    name: 'find sockets, servers and processes of an earlier run',
    expected: 'sees nothing',
    attack: leaveAndLook(
      {
        py: `
          a = socket.socket(socket.AF_UNIX); a.bind('\\0sbx-left'); a.listen()
          t = socket.socket(); t.bind(('127.0.0.1', 0) if len(sys.argv) < 2 else ('127.0.0.1', 7777)); t.listen()
          if os.fork() == 0: os.setsid(); time.sleep(60)
          done()`,
        args: ['fixed'],
      },
      {
        py: `
          tried('abstract socket', socket.socket(socket.AF_UNIX).connect, '\\0sbx-left')
          tried('TCP port', socket.socket().connect, ('127.0.0.1', 7777))
          for pid in [n for n in os.listdir('/proc') if n.isdigit() and int(n) not in (1, os.getpid())]: got(pid)
          done()`,
      },
    ),
  },
  {
    id: 43,
    name: 'signal to a concurrent run by locks on a shared file',
    expected: 'documented; closed in strict mode',
    attack: lockBits,
  },
  {
    id: 44,
    name: 'signal to a concurrent run by VSOCK, keyrings, System V',
    expected: 'closed in default mode',
    attack: otherChannels,
  },
  {
    id: 45,
    name: 'reach a concurrent run through a shared user id',
    expected: 'other host users; not visible',
    attack: reachConcurrent,
  },
  {
    id: 46,
    name: 'have a compiler include files of the host',
    expected: 'compile error; nothing of the host in stderr',
    cases: Object.entries(INCLUDES).map(([name, text]) => ({
      title: name,
      sh: `gcc -c ${name} -o out.o && [ -s out.o ] && strings out.o 2>/dev/null | grep '^root:' && echo "GOT $?"; exit 1`,
      files: { [name]: text },
      verdicts: ['NZ', 'TLE', 'MLE'],
      says: mustLack(['root:$', 'root:x:0:0:root:/root:/bin/bash', 'daemon:']),
    })),
  },
  {
    id: 47,
    name: 'have a compiler run or read something by its options',
    expected: 'same sandbox, same denial',
    cases: [
      {
        sh: `
          echo 'int main(){return 0;}' > a.c; echo 'INPUT(/etc/shadow)' > s.ld; echo '/etc/shadow' > args
          printf '#!/bin/sh\\ncat /etc/shadow /root/.bashrc && echo "GOT it"\\nexit 1\\n' > w; chmod +x w; cp w cc1
          tried plugin gcc -fplugin=/w/w a.c; tried at gcc @/etc/shadow a.c; tried B gcc -B/w/ a.c
          tried wrapper gcc -wrapper /w/w a.c; tried ld gcc a.c s.ld; tried T gcc a.c -T /etc/shadow
          gcc -wrapper /w/w a.c; gcc -B/w/ a.c
          done_`,
        limits: { cpuMs: 3000, wallMs: 6000 },
        says: mustLack(['root:$', 'daemon:']),
      },
    ],
  },
  {
    id: 48,
    name: 'find the expected answer',
    expected: 'not reachable',
    cases: [
      {
        sh: SEARCH_ANSWER,
        limits: { cpuMs: 10_000, wallMs: 20_000 },
        says: mustLack(({ world }) => [world.answer]),
      },
    ],
  },
  {
    id: 49,
    name: 'see by the page cache what others read',
    expected: 'cachestat ENOSYS; mincore tells nothing',
    attack: askPageCache,
  },
  {
    id: 50,
    name: 'get bytes of an earlier run in its own output',
    expected: 'only the run’s bytes',
    attack: staleBuffers,
  },
];
