// The rows of the system call filter, from the text of native/plan/seccomp.cc: one row a line, under comments
// that group them. A line that is not understood is an error, so that no row is left out silently.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** When a row refuses, for each `Check` that looks at an argument. */
const CONDITIONS = {
  kCloneFlags: 'when it asks for a new namespace',
  kUnshareFlags: 'when it asks for a new namespace',
  kPersonality: 'personas other than Linux, 32-bit Linux, `UNAME26` and `ADDR_NO_RANDOMIZE`',
  kIoctl:
    '`TIOCSTI`, `TIOCLINUX` and `TIOCSETD`; `FS_IOC_ADD_ENCRYPTION_KEY`; those of btrfs (0x94) but `FICLONE`, `FICLONERANGE` and `FIDEDUPERANGE`; of sockets 0x8940 to 0x89ff (bridges, VLANs, drivers) but `SIOCGIFTXQLEN`, `SIOCETHTOOL`, `SIOCOUTQNSD`, `SIOCGARP` and `SIOCGIFMAP`',
  kSocket:
    'families other than UNIX, INET and INET6; strict: other than UNIX. With `loopback` also NETLINK for lists of interfaces. Types other than streams, datagrams and, of UNIX, `SOCK_SEQPACKET` (`ESOCKTNOSUPPORT`). Protocols other than TCP and UDP (`EPROTONOSUPPORT`)',
  kFileControl:
    'setting leases and delegations; locks of open files (`F_OFD_SETLK`, `EINVAL`); strict: all of them, all record locks, notifications and hints',
  kNotInit: 'of pid 1, init',
  kLimitOfOthers:
    'of pid 1, init; setting `RLIMIT_CORE` succeeds without effect, or fails when the limit before is asked for in the same call',
  kCoreLimit: '`RLIMIT_CORE`',
  kPriorityOfOthers: 'of pid 1 or of a whole user',
  kIoPriorityOfOthers: 'of pid 1 or of a whole user',
  kToInit: 'to pid 1, init',
  kHugeMapping: 'when it asks for huge pages',
  kHugeFile: 'when it asks for huge pages',
  kHugeSegment: 'when it asks for huge pages',
  kNotLaunch: null, // by programs always
  kFilters: "setting a filter; with `allowSyscalls: ['seccomp']` when it asks for a listener",
  kProcessControl:
    "`PR_SET_SECCOMP` with a filter, unless `allowSyscalls: ['seccomp']`; `PR_SCHED_CORE`, `PR_SET_MEMORY_MERGE`, and all above 76 (`PR_SET_VMA`, `PR_FUTEX_HASH`, later ones) but `PR_SET_PTRACER` and `PR_GET_AUXV`",
  kMemoryAdvice: '`MADV_MERGEABLE`, `MADV_COLLAPSE`',
  kWideRange: 'of 4 GiB and more',
  kTracing:
    "always; with `allowSyscalls: ['ptrace']` of init, and requests other than `PTRACE_ATTACH`, `DETACH`, `CONT`, `KILL`, `GETREGS`, `GETREGSET`",
  kAio: "unless `allowSyscalls: ['io_setup']`",
  kSocketOption:
    'filters of sockets (`SO_ATTACH_FILTER`, `SO_ATTACH_REUSEPORT_CBPF`), `SO_RESERVE_MEM`, keys of TCP (`TCP_MD5SIG`, `TCP_MD5SIG_EXT`, `TCP_AO_ADD_KEY`, `TCP_AO_INFO`), joining multicast groups, headers and flow labels of IPv6 (`IPV6_RTHDR`, `IPV6_2292PKTOPTIONS`, `IPV6_FLOWLABEL_MGR`), tables (`IPT_SO_SET_REPLACE` to 67), protocols inside of others (`TCP_ULP`, `UDP_ENCAP`, `IPV6_ADDRFORM`); levels other than those of sockets, IP, IPv6, TCP, UDP and NETLINK',
  kTableOption: 'tables of IP (`IPT_SO_GET_INFO` to 67)',
  kUrgentTo: '`MSG_OOB`',
  kUrgentMessage: '`MSG_OOB`',
  kNotificationPipe: '`O_NOTIFICATION_PIPE`',
  kRequeueing: '`FUTEX_WAIT_REQUEUE_PI`, `FUTEX_CMP_REQUEUE_PI`',
};

/** Which filters have a row. */
const FILTERS = {
  kAlways: 'all',
  kAfterSetUp: 'all', // loaded last: a sandbox being made makes these calls itself
  kBothParts: 'all',
  kStrict: 'strict',
  kIgnoreSignals: "`signalsToInit: 'ignore'`",
  kNothingWritable: 'without `writable` rows',
};

const ROW = /^\s*\{CALL\((\w+)\), (E\w+|0)(?:, Check::(\w+))?(?:, (k\w+))?\},/;

/**
 * `[{ name, error, condition, filter, group }]` in the order of the table; `condition` is null for "always",
 * `error` for success.
 */
export function filterRows() {
  const text = readFileSync(join(root, 'native/plan/seccomp.cc'), 'utf8');
  const table = /constexpr Row kRows\[\] = \{\n([\s\S]*?)\n\};/.exec(text);
  if (!table) throw new Error('native/plan/seccomp.cc has no kRows');
  const rows = [];
  const heading = [];
  let isInHeading = false;
  for (const line of table[1].split('\n')) {
    if (/^#(ifdef|endif)/.test(line)) continue;
    const [, text] = /^\s*\/\/ (.*)$/.exec(line) ?? [];
    if (text === undefined) rows.push({ ...parseRow(line), group: heading.join(' ') });
    else if (isInHeading) heading.push(text);
    else heading.splice(0, Infinity, text);
    isInHeading = text !== undefined;
  }
  return rows;
}

function parseRow(line) {
  const [match, name, error, check = 'kAlways', when = 'kAlways'] = ROW.exec(line) ?? [];
  if (!match) throw new Error(`native/plan/seccomp.cc: not a row: ${line}`);
  const condition = check === 'kAlways' ? null : CONDITIONS[check];
  if (condition === undefined) throw new Error(`native/plan/seccomp.cc: ${check} has no words for the docs`);
  const filter = FILTERS[when];
  if (filter === undefined) throw new Error(`native/plan/seccomp.cc: ${when} has no words for the docs`);
  return { name, error: error === '0' ? null : error, condition, filter };
}
