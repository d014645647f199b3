// Theory: an allow-list breaks new libcs and runtimes; this deny-list takes away kernel surface that
// namespaces do not cover. What nobody has looked at yet is not allowed by that: numbers of calls that
// Linux 6.18 does not have, x32's among them, fail as on that kernel, with ENOSYS. Frame: another
// architecture's calls kill the process; then a binary search over the sorted numbers ends in "allow",
// "fail with errno" or a check of one argument. The search keeps the kernel's work at load time small: it
// evaluates the filter once for every call number. Arguments are compared on their low 32 bits, as the
// calls themselves take them (CVE-2019-10063 was a 64-bit compare).

#include "seccomp.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

// Calls that Debian 12's headers do not name; their numbers are the same on all architectures.
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif
#ifndef __NR_statmount
#define __NR_statmount 457
#define __NR_listmount 458
#define __NR_lsm_get_self_attr 459
#define __NR_lsm_set_self_attr 460
#define __NR_lsm_list_modules 461
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463
#endif

namespace sbx {
namespace {

// What a row does: fail with an errno, or look at an argument first.
enum class Check : uint8_t {
  kAlways,
  kCloneFlags,
  kUnshareFlags,
  kPersonality,
  kIoctl,
  kSocket,
  kFileControl,
  kNotInit,
  kLimitOfOthers,
  kCoreLimit,
  kPriorityOfOthers,
  kIoPriorityOfOthers,
  kToInit,
  kHugeMapping,
  kHugeFile,
  kHugeSegment,
  kNotLaunch,
  kFilters,
  kProcessControl,
  kMemoryAdvice,
  kWideRange,
  kTracing,
  kAio,
  kSocketOption,
  kTableOption,
  kUrgentTo,
  kUrgentMessage,
  kNotificationPipe,
  kRequeueing
};

struct Row {
  const char* name;
  int number;
  int16_t error;
  Check check = Check::kAlways;
  SeccompWhen when = SeccompWhen::kAlways;
};

using enum SeccompWhen;

#define CALL(name) #name, __NR_##name
constexpr Row kRows[] = {
    // Probed by libraries, which fall back: ENOSYS.
    {CALL(clone3), ENOSYS, Check::kAlways, kAfterSetUp},  // its flags are in memory (CVE-2021-41133)
    {CALL(io_uring_setup), ENOSYS},                       // does files and sockets past this filter
    {CALL(io_uring_enter), ENOSYS},
    {CALL(io_uring_register), ENOSYS},
    {CALL(fsopen), ENOSYS, Check::kAlways, kAfterSetUp},  // the mount interface, old (below) and new
    {CALL(fsconfig), ENOSYS, Check::kAlways, kAfterSetUp},
    {CALL(fsmount), ENOSYS, Check::kAlways, kAfterSetUp},
    {CALL(fspick), ENOSYS},
    {CALL(open_tree), ENOSYS, Check::kAlways, kAfterSetUp},  // masks (helper/mask.cc)
    {CALL(open_tree_attr), ENOSYS},
    {CALL(move_mount), ENOSYS, Check::kAlways, kAfterSetUp},
    {CALL(mount_setattr), ENOSYS},
    {CALL(statmount), ENOSYS},  // shows the mount table
    {CALL(listmount), ENOSYS},
    {CALL(cachestat), ENOSYS},          // tells what others have read
    {CALL(lsm_get_self_attr), ENOSYS},  // the host's security modules: its labels are its own
    {CALL(lsm_set_self_attr), ENOSYS},
    {CALL(lsm_list_modules), ENOSYS},
    {CALL(process_mrelease), ENOSYS},
    {CALL(nfsservctl), ENOSYS},
    {CALL(lookup_dcookie), ENOSYS},
    // Mounts and namespaces: capabilities over a large kernel surface.
    {CALL(mount), EPERM},
    {CALL(umount2), EPERM},
    {CALL(pivot_root), EPERM},
    {CALL(chroot), EPERM},
    {CALL(setns), EPERM},
    {CALL(unshare), EPERM, Check::kUnshareFlags, kAfterSetUp},
    {CALL(clone), EPERM, Check::kCloneFlags},
    // Other processes.
    {CALL(ptrace), EPERM, Check::kTracing},
    {CALL(process_vm_readv), EPERM},
    {CALL(process_vm_writev), EPERM},
    {CALL(kcmp), EPERM, Check::kNotLaunch},
    {CALL(pidfd_getfd), EPERM},
    {CALL(process_madvise), EPERM},
    // Keyrings are not namespaced.
    {CALL(add_key), EPERM},
    {CALL(request_key), EPERM},
    {CALL(keyctl), EPERM},
    // Favourites of exploits.
    {CALL(bpf), EPERM},
    {CALL(perf_event_open), EPERM},
    {CALL(userfaultfd), EPERM},
    {CALL(memfd_secret), EPERM},
    // Ways around mounts.
    {CALL(name_to_handle_at), EPERM},
    {CALL(open_by_handle_at), EPERM},
    {CALL(fanotify_init), EPERM},
    // The administrator's, or history.
    {CALL(init_module), EPERM},
    {CALL(finit_module), EPERM},
    {CALL(delete_module), EPERM},
    {CALL(kexec_load), EPERM},
    {CALL(kexec_file_load), EPERM},
    {CALL(reboot), EPERM},
    {CALL(swapon), EPERM},
    {CALL(swapoff), EPERM},
#ifdef __NR_iopl
    {CALL(iopl), EPERM},
    {CALL(ioperm), EPERM},
    {CALL(modify_ldt), EPERM},
    {CALL(uselib), EPERM},
    {CALL(ustat), EPERM},
    {CALL(sysfs), EPERM},
    {CALL(_sysctl), EPERM},
#endif
    {CALL(acct), EPERM},
    {CALL(quotactl), EPERM},
    {CALL(quotactl_fd), EPERM},
    {CALL(syslog), EPERM},
    {CALL(settimeofday), EPERM},
    {CALL(clock_settime), EPERM},
    {CALL(clock_adjtime), EPERM},
    {CALL(adjtimex), EPERM},
    {CALL(sethostname), EPERM},
    {CALL(setdomainname), EPERM},
    {CALL(vhangup), EPERM},
    // Placement of memory on nodes.
    {CALL(move_pages), EPERM},
    {CALL(migrate_pages), EPERM},
    {CALL(mbind), EPERM},
    {CALL(set_mempolicy), EPERM},
    {CALL(set_mempolicy_home_node), EPERM},
    // Allowed in part.
    {CALL(personality), EPERM, Check::kPersonality},
    {CALL(ioctl), EPERM, Check::kIoctl},
    {CALL(socket), EAFNOSUPPORT, Check::kSocket, kBothParts},
    {CALL(socketpair), EAFNOSUPPORT, Check::kSocket},  // makes them too
    // Rootless, init has the programs' user id: its limits and its scheduling are not theirs to change.
    {CALL(prlimit64), EPERM, Check::kLimitOfOthers},
    {CALL(sched_setaffinity), EPERM, Check::kNotInit},
    {CALL(sched_setscheduler), EPERM, Check::kNotInit},
    {CALL(sched_setparam), EPERM, Check::kNotInit},
    {CALL(setpriority), EPERM, Check::kPriorityOfOthers},
    {CALL(ioprio_set), EPERM, Check::kIoPriorityOfOthers},
    // It sets slices, too, and with the shortest ones dozens of threads keep init from its turn.
    {CALL(sched_setattr), EPERM, Check::kNotLaunch},
    // A host that pipes core dumps to a handler heeds the limit of 1 that programs have, and no other, not
    // even 0: it stays.
    {CALL(setrlimit), 0, Check::kCoreLimit},
    // Huge pages are not counted in the memory of a cgroup: as if there were none.
    {CALL(mmap), ENOMEM, Check::kHugeMapping},
    {CALL(memfd_create), ENOMEM, Check::kHugeFile},
    {CALL(shmget), ENOMEM, Check::kHugeSegment},
    // Attributes can be access lists, 128 KiB of them with each file, in memory that is not counted either.
    {CALL(setxattr), EOPNOTSUPP},
    {CALL(lsetxattr), EOPNOTSUPP},
    {CALL(fsetxattr), EOPNOTSUPP},
    {CALL(setxattrat), EOPNOTSUPP},
    // Filters of their own: the machine code of all filters of the machine has one budget, and no cgroup
    // counts it. As in a kernel without.
    {CALL(seccomp), EINVAL, Check::kFilters},
    // The same filters. Names of mappings, 80 bytes each, are not counted either. A thread with a core
    // scheduling cookie of its own leaves the other hyper-threads of its core idle, CPU time that nobody is
    // charged for. Options of later kernels nobody has looked at. As in a kernel without.
    {CALL(prctl), EINVAL, Check::kProcessControl},
    // Pages merged with those of others: a kernel thread's work, and its time tells one sandbox what another
    // holds. Small pages made large ones over a wide range, which takes seconds that no signal ends, not even
    // SIGKILL. As in a kernel without.
    {CALL(madvise), EINVAL, Check::kMemoryAdvice},
    // The like, of which of the pages of a wide range there are.
    {CALL(mincore), ENOMEM, Check::kWideRange},
    // A page of a pipe is charged to who wrote to it: who takes the pages out of the pipe between two
    // programs of a group, and keeps them, uses up the other's memory. Those of devices and files are charged
    // to nobody. As of files that cannot.
    {CALL(splice), EINVAL},
    {CALL(tee), EINVAL},
    {CALL(vmsplice), EINVAL},
    // Contexts for asynchronous requests: the machine has one budget for all of them.
    {CALL(io_setup), ENOSYS, Check::kAio},
    // Filters of sockets, keys of connections and headers to be sent with each packet, which are not counted;
    // memory kept for a socket, out of one budget of the machine; multicast groups, left for seconds under
    // one lock of the machine; labels of flows, which stay in the network for the next sandbox and have one
    // budget of the machine; other protocols inside of TCP and UDP, as `socket` refuses them.
    {CALL(setsockopt), ENOPROTOOPT, Check::kSocketOption},
    // The tables of iptables. Before Linux 6.8 anybody who asks has the host load bpfilter.
    {CALL(getsockopt), ENOPROTOOPT, Check::kTableOption},
    // Urgent bytes, which UNIX sockets have had since Linux 5.15 and next to nobody sends: the code was a way
    // out of Chrome's sandbox (CVE-2025-38236). As in a kernel without.
    {CALL(sendto), EOPNOTSUPP, Check::kUrgentTo},
    {CALL(sendmmsg), EOPNOTSUPP, Check::kUrgentTo},
    {CALL(sendmsg), EOPNOTSUPP, Check::kUrgentMessage},
    // A queue of the kernel's notices, in pages that are not counted (CVE-2022-0995). As in a kernel without.
    {CALL(pipe2), ENOPKG, Check::kNotificationPipe},
    // Whoever opens a file that somebody has a lease on waits for up to 45 seconds: another program's start,
    // init that waits for that, and as an ordinary user the host. It outlives its program where a socket
    // holds the file. Locks of open files cannot be counted there, as those of processes are
    // (addon/uncounted_bytes.cc): as in a kernel without.
    {CALL(fcntl), EPERM, Check::kFileControl},
    // Every file system of the machine written out, or the one of /usr; those of sandboxes are in memory.
    // What is in a writable folder of the host is written out by fsync.
    {CALL(sync), 0},
    {CALL(syncfs), 0},
    // Where there is no such folder, it has the host's disk write out its cache, by any file of /usr, and
    // does nothing else.
    {CALL(fsync), 0, Check::kAlways, kNothingWritable},
    {CALL(fdatasync), 0, Check::kAlways, kNothingWritable},
    // Strict: channels between concurrent runs that namespaces leave open.
    {CALL(flock), EPERM, Check::kAlways, kStrict},
#ifdef __NR_inotify_init
    {CALL(inotify_init), EPERM, Check::kAlways, kStrict},
#endif
    {CALL(inotify_init1), EPERM, Check::kAlways, kStrict},
    {CALL(inotify_add_watch), EPERM, Check::kAlways, kStrict},
    // Waiting for one lock and being handed another that inherits priorities: no libc has done it since 2017
    // (CVE-2014-3153).
    {CALL(futex), ENOSYS, Check::kRequeueing, kStrict},
    // Signals to init ignored: they succeed and are not sent. A pidfd does not tell whose it is: there the
    // kernel says EPERM.
    {CALL(kill), 0, Check::kToInit, kIgnoreSignals},
    {CALL(tkill), 0, Check::kToInit, kIgnoreSignals},
    {CALL(tgkill), 0, Check::kToInit, kIgnoreSignals},
    {CALL(rt_sigqueueinfo), 0, Check::kToInit, kIgnoreSignals},
    {CALL(rt_tgsigqueueinfo), 0, Check::kToInit, kIgnoreSignals},
};
#undef CALL
// Left out on purpose: memfd_create but for huge pages (BEAM maps its code through it), pkey_* (V8 calls them
// at start), membarrier, rseq, most of prctl, landlock_*, pidfd_open, pidfd_send_signal, execveat,
// sched_setaffinity, setpriority, SysV and POSIX IPC (namespaced), mprotect with PROT_EXEC (every JIT).
constexpr size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);

constexpr uint32_t kNamespaceFlags = 0x7E020000;  // all CLONE_NEW… but NEWTIME
constexpr uint32_t kNewTime = 0x80;               // in unshare; part of the exit signal in clone
// The last call that Linux 6.18 has, file_setattr, is the last that was looked at for this filter. Below,
// from where the numbers of each architecture end to where the common ones begin, there is none.
constexpr uint32_t kNewestCall = 469;
constexpr uint32_t kFirstCommonCall = 424;
constexpr size_t kJumpMax = 255;  // 8 bits

#if defined(__x86_64__)
constexpr uint32_t kNativeArch = AUDIT_ARCH_X86_64;
constexpr uint32_t kLastOwnCall = 336;  // uprobe
#else
constexpr uint32_t kNativeArch = AUDIT_ARCH_AARCH64;
constexpr uint32_t kLastOwnCall = 294;  // kexec_file_load
#endif

// Writes instructions; jumps are relative to the next one, as BPF counts.
class Writer {
 public:
  explicit Writer(Filter& filter) : filter_(filter) { filter.length = 0; }
  size_t at() const { return filter_.length; }
  void Add(uint16_t code, uint32_t k, uint8_t jumpTrue = 0, uint8_t jumpFalse = 0) {
    Written(filter_.length) = {code, jumpTrue, jumpFalse, k};
    ++filter_.length;
  }
  void AndWith(uint32_t bits) { Add(BPF_ALU | BPF_AND | BPF_K, bits); }
  void Load(size_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset); }
  // Low half: little-endian.
  void LoadArgument(unsigned index) { Load(offsetof(struct seccomp_data, args) + 8 * index); }
  void LoadUpperHalf(unsigned index) { Load(offsetof(struct seccomp_data, args) + 8 * index + 4); }
  void Return(uint32_t action) { Add(BPF_RET | BPF_K, action); }
  // Returns `action` when the loaded word equals `value`.
  void ReturnIf(uint32_t value, uint32_t action) {
    Add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    Return(action);
  }
  void CutTo(size_t length) { filter_.length = length; }
  void PatchTrue(size_t where, size_t target) { Written(where).jt = (uint8_t)(target - where - 1); }
  // When the loaded word is `value` (or `other`) goes through `body`, which returns in any case.
  template <typename Body>
  void If(uint32_t value, Body body) {
    const size_t at = filter_.length;
    Add(BPF_JMP | BPF_JEQ | BPF_K, value);
    body();
    Written(at).jf = (uint8_t)(filter_.length - at - 1);
  }
  template <typename Body>
  void If(uint32_t value, uint32_t other, Body body) {
    Add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    If(other, body);
  }

 private:
  // Behind the end what is written is lost; CompileFilter never gives out a filter that long.
  struct sock_filter& Written(size_t where) {
    return where < kFilterLengthMax ? filter_.code[where] : beyond_;
  }

  Filter& filter_;
  struct sock_filter beyond_ = {};
};

struct Compiler {
  Writer out;
  FilterOptions options;
  const Row* sorted[kRowCount];
  size_t count = 0;

  bool strict() const { return options.profile == SeccompProfile::kStrict; }
  bool Allows(uint32_t what) const { return !strict() && (options.allowed & what) != 0; }

  // Errors of what libraries try and do without fail in the same way when others kill.
  uint32_t Refusal(int error) const {
    const bool probed = error == ENOSYS || error == EOPNOTSUPP || error == EINVAL ||
                        error == EPROTONOSUPPORT || error == ENOPKG;
    if (options.kill && !probed && error != 0) return SECCOMP_RET_KILL_PROCESS;
    return SECCOMP_RET_ERRNO | (uint32_t)error;
  }

  bool IsWanted(SeccompWhen when) const {
    switch (when) {
      case kStrict: return strict();
      case kIgnoreSignals: return options.ignoreSignalsToInit;
      case kNothingWritable: return !options.writableRows;
      default: return true;
    }
  }

  void Sort() {
    for (const Row& row : kRows) {
      if (!IsWanted(row.when)) continue;
      const bool isOfPart =
          row.when == kBothParts || (options.part == FilterPart::kAfterSetUp) == (row.when == kAfterSetUp);
      if (options.part != FilterPart::kWhole && !isOfPart) continue;
      size_t i = count++;
      for (; i > 0 && sorted[i - 1]->number > row.number; --i) sorted[i] = sorted[i - 1];
      sorted[i] = &row;
    }
  }

  void ReturnIfAnyBit(uint32_t bits, uint32_t action) {
    out.Add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    out.Return(action);
  }

  // Whether the loaded word is among the values: an instruction for each, and `kAmongMore`.
  template <size_t kValues>
  void ReturnByValue(const uint32_t (&values)[kValues], uint32_t among, uint32_t otherwise) {
    for (size_t i = 0; i < kValues; ++i)
      out.Add(BPF_JMP | BPF_JEQ | BPF_K, values[i], (uint8_t)(kValues - i), 0);
    out.Return(otherwise);
    out.Return(among);
  }
  static constexpr size_t kAmongMore = 2;

  template <size_t kValues>
  void Refuse(const uint32_t (&values)[kValues], uint32_t refusal) {
    ReturnByValue(values, refusal, SECCOMP_RET_ALLOW);
  }

  // Of setsockopt, whose level is loaded and stays so for what follows.
  template <size_t kNames>
  void RefuseOptions(uint32_t level, const uint32_t (&names)[kNames], uint32_t refusal) {
    out.Add(BPF_JMP | BPF_JEQ | BPF_K, level, 0, 1 + kNames + kAmongMore);
    out.LoadArgument(2);
    Refuse(names, refusal);
  }

  // Of ioctl.
  void DecideRequest(uint32_t refusal) {
    // TIOCSTI types into the terminal; TIOCLINUX; TIOCSETD has the kernel load line disciplines as modules;
    // FS_IOC_ADD_ENCRYPTION_KEY gives the host's file system a key, read-only or not, which all see there,
    // and it stays.
    constexpr uint32_t kRequests[] = {0x5412, 0x541C, 0x5423, 0xC0506617};
    // btrfs has a number of its own in its requests, and most need no right: one writes out all of the file
    // system, others make volumes. FICLONE, FICLONERANGE and FIDEDUPERANGE are of all file systems.
    constexpr uint32_t kNumberBits = 0xff00, kBtrfs = 0x9400;
    constexpr uint32_t kClones[] = {0x40049409, 0x4020940d, 0xc0189436};
    // Of sockets, behind those that ask for interfaces: bridges and VLANs, whose modules the kernel loads
    // for anybody who asks, as a process of the host that no limit counts; namespaces; what drivers make of
    // theirs.
    constexpr uint32_t kFirst = 0x8940, kLast = 0x89ff;
    // SIOCGIFTXQLEN, SIOCETHTOOL, SIOCOUTQNSD, SIOCGARP, SIOCGIFMAP.
    constexpr uint32_t kAsked[] = {0x8942, 0x8946, 0x894b, 0x8954, 0x8970};
    constexpr uint8_t kBody = sizeof(kAsked) / sizeof(kAsked[0]) + kAmongMore;
    out.LoadArgument(1);
    out.AndWith(kNumberBits);
    out.If(kBtrfs, [&] {
      out.LoadArgument(1);
      ReturnByValue(kClones, SECCOMP_RET_ALLOW, refusal);
    });
    out.LoadArgument(1);
    out.Add(BPF_JMP | BPF_JGE | BPF_K, kFirst, 0, 1 + kBody);
    out.Add(BPF_JMP | BPF_JGT | BPF_K, kLast, kBody, 0);
    ReturnByValue(kAsked, SECCOMP_RET_ALLOW, refusal);
    Refuse(kRequests, refusal);
  }

  void DecideFileControl(uint32_t refusal) {
    constexpr uint32_t kLeases[] = {1024, 1040};            // F_SETLEASE, F_SETDELEG
    constexpr uint32_t kLocksOfOpenFiles[] = {36, 37, 38};  // F_OFD_GETLK…
    // GETLK…, OFD locks; leases, notification, delegations; hints for a file's data, which its next reader
    // sees.
    constexpr uint32_t kCommands[] = {
        5, 6, 7, 36, 37, 38, 1024, 1025, 1026, 1039, 1040, 1035, 1036, 1037, 1038};
    out.LoadArgument(1);
    if (strict()) return Refuse(kCommands, refusal);
    for (const uint32_t command : kLocksOfOpenFiles) out.ReturnIf(command, Refusal(EINVAL));
    Refuse(kLeases, refusal);
  }

  // Of socketpair, too, which is in the inherited filter as a whole.
  void DecideSocket(const Row& row, uint32_t refusal) {
    constexpr uint32_t kUnix = 1, kInet = 2, kInet6 = 10;
    out.LoadArgument(0);
    if (row.when != kBothParts) out.ReturnIf(kNetlink, kNoFamily);  // it has no pairs
    else if (options.part == FilterPart::kWhole) DecideNetlink();
    else if (options.part == FilterPart::kInherited) out.ReturnIf(kNetlink, SECCOMP_RET_ALLOW);
    else return DecideNetlink(), out.Return(SECCOMP_RET_ALLOW);
    out.If(kUnix, [&] {
      // Stream, datagrams, seqpacket; raw ones are datagrams under another name.
      constexpr uint32_t kTypes[] = {1, 2, 5};
      LoadSocketType();
      ReturnByValue(kTypes, SECCOMP_RET_ALLOW, Refusal(ESOCKTNOSUPPORT));
    });
    if (!strict()) out.If(kInet, kInet6, [&] { DecideInternetSocket(); });
    out.Return(refusal);
  }

  // What waits in sockets of NETLINK is not counted, megabytes in each. libc looks for addresses there and
  // does without, other libraries fail: where there are interfaces, lists of them are to be had.
  void DecideNetlink() {
    constexpr uint32_t kRoute = 0;
    if (!options.interfaces || strict()) return out.ReturnIf(kNetlink, kNoFamily);
    out.If(kNetlink, [&] {
      out.LoadArgument(2);
      out.ReturnIf(kRoute, SECCOMP_RET_ALLOW);
      out.Return(kNoFamily);
    });
  }
  static constexpr uint32_t kNetlink = 16, kNoFamily = SECCOMP_RET_ERRNO | EAFNOSUPPORT;

  // Above it are flags.
  void LoadSocketType() {
    out.LoadArgument(1);
    out.AndWith(0xf);
  }

  // TCP and UDP. What else there is for these types (MPTCP, SCTP, SMC, UDPLITE, L2TP) is code that no sandbox
  // needs, and some of it the kernel would load as a module; ICMP is given to no group of a sandbox's network
  // in any case.
  void DecideInternetSocket() {
    constexpr uint32_t kStream = 1, kDatagrams = 2, kTcp[] = {0, 6}, kUdp[] = {0, 17};
    LoadSocketType();
    out.If(kStream, [&] {
      out.LoadArgument(2);
      ReturnByValue(kTcp, SECCOMP_RET_ALLOW, Refusal(EPROTONOSUPPORT));
    });
    out.If(kDatagrams, [&] {
      out.LoadArgument(2);
      ReturnByValue(kUdp, SECCOMP_RET_ALLOW, Refusal(EPROTONOSUPPORT));
    });
    out.Return(Refusal(ESOCKTNOSUPPORT));
  }

  // No jump before the last word: the time that a refusal takes tells nothing about the key.
  void AllowByKey(uint32_t refusal) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned argument = kLaunchKeyArguments[i / 2];
      i % 2 == 0 ? out.LoadArgument(argument) : out.LoadUpperHalf(argument);
      out.Add(BPF_ALU | BPF_SUB | BPF_K, options.launchKey.words[i]);
      if (i > 0) {
        out.Add(BPF_LDX | BPF_W | BPF_MEM, 0);
        out.Add(BPF_ALU | BPF_OR | BPF_X, 0);
      }
      if (i < 3) out.Add(BPF_ST, 0);
    }
    out.ReturnIf(0, SECCOMP_RET_ALLOW);
    out.Return(refusal);
  }

  void DecideFilters(uint32_t refusal) {
    constexpr uint32_t kSetModeFilter = 1, kNewListener = 8;
    if (Allows(kAllowFilters)) return RefuseBits(1, kNewListener, refusal);
    out.LoadArgument(0);
    out.If(kSetModeFilter, [&] { AllowByKey(refusal); });
    out.Return(SECCOMP_RET_ALLOW);
  }

  void DecideProcessControl(uint32_t refusal) {
    constexpr uint32_t kSetSeccomp = 22, kModeFilter = 2;
    constexpr uint32_t kCoreScheduling = 62, kSetMemoryMerge = 67;
    constexpr uint32_t kNewest = 76;  // PR_LOCK_SHADOW_STACK_STATUS
    // Of those with numbers that spell their names: PR_SET_PTRACER and PR_GET_AUXV, not PR_SET_VMA.
    constexpr uint32_t kNamed[] = {0x59616d61, 0x41555856};
    out.LoadArgument(0);
    out.Add(BPF_JMP | BPF_JGT | BPF_K, kNewest, 0, 2 + kAmongMore);
    ReturnByValue(kNamed, SECCOMP_RET_ALLOW, refusal);
    out.ReturnIf(kCoreScheduling, refusal);
    out.ReturnIf(kSetMemoryMerge, refusal);
    if (!Allows(kAllowFilters))
      out.If(kSetSeccomp, [&] {
        out.LoadArgument(1);
        out.ReturnIf(kModeFilter, refusal);
        out.Return(SECCOMP_RET_ALLOW);
      });
    out.Return(SECCOMP_RET_ALLOW);
  }

  // LeakSanitizer stops the threads of its process and reads their registers. Init is another user,
  // undumpable, and has rights that programs lack; that it is named here is one wall more.
  void DecideTracing(uint32_t refusal) {
    // CONT, KILL, GETREGS, ATTACH, DETACH, GETREGSET.
    constexpr uint32_t kRequests[] = {7, 8, 12, 16, 17, 0x4204};
    if (!Allows(kAllowTracing)) return out.Return(refusal);
    out.LoadArgument(1);
    out.ReturnIf(1, refusal);
    out.LoadArgument(0);
    ReturnByValue(kRequests, SECCOMP_RET_ALLOW, refusal);
  }

  void DecideSocketOption(uint32_t refusal) {
    constexpr uint32_t kSocketLevel = 1, kTcpLevel = 6, kUdpLevel = 17, kIpv6Level = 41, kNetlinkLevel = 270;
    constexpr uint32_t kSocket[] = {
        26, 51, 73};  // SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF, SO_RESERVE_MEM
    // TCP_MD5SIG, TCP_MD5SIG_EXT, TCP_AO_ADD_KEY, TCP_AO_INFO; TCP_ULP.
    constexpr uint32_t kTcp[] = {14, 32, 38, 40, 31};
    constexpr uint32_t kUdp[] = {100};  // UDP_ENCAP
    // IP_ADD_MEMBERSHIP, IP_ADD_SOURCE_MEMBERSHIP, MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP; tables.
    constexpr uint32_t kIp[] = {35, 39, 42, 46, 64, 65, 66, 67};
    // IPV6_JOIN_GROUP and the latter two; IPV6_2292PKTOPTIONS and IPV6_RTHDR; IPV6_FLOWLABEL_MGR;
    // IPV6_ADDRFORM.
    constexpr uint32_t kIpv6[] = {20, 42, 46, 6, 57, 32, 1};
    out.LoadArgument(1);
    RefuseOptions(kSocketLevel, kSocket, refusal);
    RefuseOptions(kTcpLevel, kTcp, refusal);
    RefuseOptions(kUdpLevel, kUdp, refusal);
    RefuseOptions(kIpLevel, kIp, refusal);
    RefuseOptions(kIpv6Level, kIpv6, refusal);
    out.ReturnIf(kNetlinkLevel, SECCOMP_RET_ALLOW);
    out.Return(refusal);  // of protocols that no sandbox has
  }
  static constexpr uint32_t kIpLevel = 0;

  void DecideTableOption(uint32_t refusal) {
    constexpr uint32_t kTables[] = {64, 65, 66, 67};  // IPT_SO_GET_INFO…
    out.LoadArgument(1);
    RefuseOptions(kIpLevel, kTables, refusal);
    out.Return(SECCOMP_RET_ALLOW);
  }

  void DecideFutex(uint32_t refusal) {
    constexpr uint32_t kCommandBits = 0x7f,
                       kRequeueing[] = {11, 12};  // FUTEX_WAIT_REQUEUE_PI, CMP_REQUEUE_PI
    out.LoadArgument(1);
    out.AndWith(kCommandBits);
    Refuse(kRequeueing, refusal);
  }

  // 0 for a null pointer only.
  void LoadNonNull(unsigned argument) {
    out.LoadArgument(argument);
    out.Add(BPF_ST, 0);
    out.LoadUpperHalf(argument);
    out.Add(BPF_LDX | BPF_W | BPF_MEM, 0);
    out.Add(BPF_ALU | BPF_OR | BPF_X, 0);
  }

  void DecideLimitOfOthers(uint32_t refusal) {
    out.LoadArgument(0);
    out.ReturnIf(1, refusal);
    out.LoadArgument(1);
    out.If(kCoreLimit, [&] {
      LoadNonNull(2);
      out.ReturnIf(0, SECCOMP_RET_ALLOW);  // it only asks
      LoadNonNull(3);
      out.ReturnIf(0, SECCOMP_RET_ERRNO);
      out.Return(refusal);  // it wants to be told the limit before
    });
    out.Return(SECCOMP_RET_ALLOW);
  }
  static constexpr uint32_t kCoreLimit = 4;  // RLIMIT_CORE

  void RefuseValue(unsigned argument, uint32_t value, uint32_t refusal) {
    out.LoadArgument(argument);
    out.ReturnIf(value, refusal);
    out.Return(SECCOMP_RET_ALLOW);
  }

  void RefuseBits(unsigned argument, uint32_t bits, uint32_t refusal) {
    out.LoadArgument(argument);
    ReturnIfAnyBit(bits, refusal);
    out.Return(SECCOMP_RET_ALLOW);
  }

  static constexpr uint32_t kUrgent = 1;  // MSG_OOB

  // The end of the search for one row; the call number has been matched.
  void Decide(const Row& row) {
    const uint32_t refusal = Refusal(row.error);
    switch (row.check) {
      case Check::kAlways: return out.Return(refusal);
      case Check::kCloneFlags: return RefuseBits(0, kNamespaceFlags, refusal);
      case Check::kUnshareFlags: return RefuseBits(0, kNamespaceFlags | kNewTime, refusal);
      case Check::kPersonality: {
        // Query, Linux, UNAME26, both, and "no address randomisation".
        constexpr uint32_t kAllowed[] = {0, 8, 0x20000, 0x20008, 0x40000, 0xffffffff};
        out.LoadArgument(0);
        return ReturnByValue(kAllowed, SECCOMP_RET_ALLOW, refusal);
      }
      case Check::kIoctl: return DecideRequest(refusal);
      case Check::kSocket: return DecideSocket(row, refusal);
      case Check::kNotInit:
      case Check::kToInit: return RefuseValue(0, 1, refusal);
      case Check::kLimitOfOthers: return DecideLimitOfOthers(refusal);
      case Check::kCoreLimit: return RefuseValue(0, kCoreLimit, refusal);
      case Check::kPriorityOfOthers:      // which: 0 a process, 1 a group, 2 a user
      case Check::kIoPriorityOfOthers: {  // which: 1 a process, 2 a group, 3 a user
        out.LoadArgument(0);
        out.ReturnIf(row.check == Check::kPriorityOfOthers ? 2 : 3, refusal);
        return RefuseValue(1, 1, refusal);
      }
      case Check::kHugeMapping: return RefuseBits(3, 0x40000, refusal);  // MAP_HUGETLB
      case Check::kHugeFile: return RefuseBits(1, 4, refusal);           // MFD_HUGETLB
      case Check::kHugeSegment: return RefuseBits(2, 04000, refusal);    // SHM_HUGETLB
      case Check::kNotLaunch: return AllowByKey(refusal);
      case Check::kFilters: return DecideFilters(refusal);
      case Check::kProcessControl: return DecideProcessControl(refusal);
      case Check::kMemoryAdvice: {
        constexpr uint32_t kAdvice[] = {12, 25};  // MADV_MERGEABLE, MADV_COLLAPSE
        out.LoadArgument(2);
        return Refuse(kAdvice, refusal);
      }
      case Check::kWideRange: {  // 4 GiB and more
        out.LoadUpperHalf(1);
        out.ReturnIf(0, SECCOMP_RET_ALLOW);
        return out.Return(refusal);
      }
      case Check::kTracing: return DecideTracing(refusal);
      case Check::kAio: return out.Return(Allows(kAllowAio) ? SECCOMP_RET_ALLOW : refusal);
      case Check::kSocketOption: return DecideSocketOption(refusal);
      case Check::kTableOption: return DecideTableOption(refusal);
      case Check::kUrgentTo: return RefuseBits(3, kUrgent, refusal);
      case Check::kUrgentMessage: return RefuseBits(2, kUrgent, refusal);
      case Check::kNotificationPipe: return RefuseBits(1, 0x80, refusal);  // O_NOTIFICATION_PIPE
      case Check::kRequeueing: return DecideFutex(refusal);
      case Check::kFileControl: return DecideFileControl(refusal);
    }
  }

  // Whether a number that the search has led to row `at` can only be that row's: its neighbours leave no gap.
  bool IsCertain(size_t at) const {
    return at > 0 && at + 1 < count && sorted[at + 1]->number == sorted[at]->number + 1;
  }

  // Balanced search in sorted[first, last). What comes here is at least sorted[first]'s number, but for the
  // first row of all.
  void Search(size_t first, size_t last) {
    if (last - first == 1) {
      if (!IsCertain(first)) {
        out.Add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)sorted[first]->number, 1, 0);
        out.Return(SECCOMP_RET_ALLOW);
      }
      return Decide(*sorted[first]);
    }
    const size_t branch = out.at();
    size_t middle = first + (last - first) / 2;
    for (;; --middle) {
      out.Add(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)sorted[middle]->number);
      Search(first, middle);
      if (out.at() - branch - 1 <= kJumpMax) break;
      out.CutTo(branch);  // more than a jump gets over: fewer rows on this side
    }
    out.PatchTrue(branch, out.at());
    Search(middle, last);
  }
};

}  // namespace

void CompileFilter(const FilterOptions& options, Filter& filter) {
  Compiler compiler{Writer(filter), options, {}};
  compiler.Sort();
  Writer& out = compiler.out;
  out.Load(offsetof(struct seccomp_data, arch));
  out.Add(BPF_JMP | BPF_JEQ | BPF_K, kNativeArch, 1, 0);
  out.Return(SECCOMP_RET_KILL_PROCESS);
  out.Load(offsetof(struct seccomp_data, nr));
  if (options.part != FilterPart::kAfterSetUp) {
    out.Add(BPF_JMP | BPF_JGT | BPF_K, kNewestCall, 2, 0);
    out.Add(BPF_JMP | BPF_JGE | BPF_K, kFirstCommonCall, 2, 0);
    out.Add(BPF_JMP | BPF_JGT | BPF_K, kLastOwnCall, 0, 1);
    out.Return(SECCOMP_RET_ERRNO | ENOSYS);
  }
  compiler.Search(0, compiler.count);
  if (filter.length > kFilterLengthMax) __builtin_trap();
}

const SeccompRow* SeccompRows(size_t& count) {
  static SeccompRow rows[kRowCount];
  static constexpr const char* kConditions[] = {nullptr, "flags ask for a new namespace",
      "flags ask for a new namespace", "persona other than 0, 8, 0x20000, 0x20008, 0x40000, query",
      "request is TIOCSTI, TIOCLINUX, TIOCSETD or FS_IOC_ADD_ENCRYPTION_KEY, one of btrfs, or a socket's of "
      "bridges, VLANs or drivers",
      "other than UNIX, TCP, UDP, and NETLINK for interfaces (strict: UNIX)",
      "sets a lease or a delegation; strict: any lock, lease, notification or hint", "of init",
      "of init; ignored: RLIMIT_CORE", "RLIMIT_CORE", "of init or of a whole user",
      "of init or of a whole user", "to init", "flags ask for huge pages", "flags ask for huge pages",
      "flags ask for huge pages", "not from the helper", "a filter, unless allowed",
      "a filter, unless allowed, merging of pages, core scheduling, or an option above 76",
      "merging of pages, or making large ones", "4 GiB and more", "unless allowed in part", "unless allowed",
      "a filter or reserved memory of a socket's, keys of TCP's, a multicast group, headers or labels of "
      "IPv6, tables of IP's, a protocol inside or other than TCP and UDP",
      "tables of IP's", "urgent bytes", "urgent bytes", "a queue of notices",
      "waiting that is handed on to a lock with priorities"};
  for (size_t i = 0; i < kRowCount; ++i) {
    const Row& row = kRows[i];
    rows[i] = {row.name, row.number, row.error, kConditions[(int)row.check], row.when};
  }
  count = kRowCount;
  return rows;
}

}  // namespace sbx
