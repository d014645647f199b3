// Two opinions are compared: the compiled filters, and the refusals below, written from the kernel's headers
// and the project's list. What the table says is taken from SeccompRows.
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <map>

#include "seccomp_subject.h"
#include "test.h"

namespace sbx::test {
namespace {

// Of setsockopt.
bool RefusesOption(uint64_t level, uint64_t option) {
  switch ((uint32_t)level) {
    case SOL_SOCKET: return OneOf(option, {SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF, SO_RESERVE_MEM});
    case IPPROTO_TCP: return OneOf(option, {14, 31, 32, 38, 40});
    case IPPROTO_UDP: return OneOf(option, {100});
    case IPPROTO_IP:
      return OneOf(option, {IP_ADD_MEMBERSHIP, IP_ADD_SOURCE_MEMBERSHIP, MCAST_JOIN_GROUP,
                               MCAST_JOIN_SOURCE_GROUP, 64, 65, 66, 67});
    case IPPROTO_IPV6:
      return OneOf(option, {IPV6_JOIN_GROUP, MCAST_JOIN_GROUP, MCAST_JOIN_SOURCE_GROUP, IPV6_2292PKTOPTIONS,
                               IPV6_RTHDR, 32 /* IPV6_FLOWLABEL_MGR */, IPV6_ADDRFORM});
    default: return !OneOf(level, {SOL_NETLINK});
  }
}

// Whether a row with a condition refuses these arguments.
bool ConditionHolds(const SeccompRow& row, const Subject& subject, const Args& args) {
  const uint64_t* a = args.values;
  const bool hasKey = a[3] == kLaunchKey.first() && a[4] == kLaunchKey.second();
  const bool ownFilters = (subject.allowed & kAllowFilters) != 0;
  switch (row.number) {
    case __NR_clone: return (a[0] & kNamespaces) != 0;
    case __NR_unshare: return (a[0] & (kNamespaces | CLONE_NEWTIME)) != 0;
    case __NR_personality: return !OneOf(a[0], {0, 8, 0x20000, 0x20008, 0x40000, 0xffffffff});
    case __NR_ioctl: {
      const auto request = (uint32_t)a[1];
      // SIOCETHTOOL, SIOCOUTQNSD
      if ((request & 0xff00) == 0x9400) return !OneOf(request, {FICLONE, FICLONERANGE, FIDEDUPERANGE});
      if (OneOf(request, {SIOCGIFTXQLEN, 0x8946, 0x894b, SIOCGARP, SIOCGIFMAP})) return false;
      return (request >= SIOCGIFBR && request <= 0x89ff) ||
             OneOf(request, {TIOCSTI, TIOCLINUX, TIOCSETD, FS_IOC_ADD_ENCRYPTION_KEY});
    }
    case __NR_setrlimit: return OneOf(a[0], {RLIMIT_CORE});
    case __NR_prlimit64:
    case __NR_sched_setaffinity:
    case __NR_sched_setscheduler:
    case __NR_sched_setparam:
    case __NR_kill:
    case __NR_tkill:
    case __NR_tgkill:
    case __NR_rt_sigqueueinfo:
    case __NR_rt_tgsigqueueinfo: return (uint32_t)a[0] == 1;  // init
    case __NR_sched_setattr:
    case __NR_kcmp: return !hasKey;
    case __NR_setpriority: return (uint32_t)a[0] == PRIO_USER || (uint32_t)a[1] == 1;
    case __NR_ioprio_set: return (uint32_t)a[0] == 3 /* IOPRIO_WHO_USER */ || (uint32_t)a[1] == 1;
    case __NR_fcntl:
      if (!subject.strict) return OneOf(a[1], {1024, 1040});
      // F_OFD_…, F_SETLEASE, F_GETLEASE, F_NOTIFY, F_GETDELEG, F_SETDELEG, F_…_RW_HINT, F_…_FILE_RW_HINT
      return OneOf(a[1],
          {F_GETLK, F_SETLK, F_SETLKW, 36, 37, 38, 1024, 1025, 1026, 1039, 1040, 1035, 1036, 1037, 1038});
    case __NR_mmap: return (a[3] & MAP_HUGETLB) != 0;
    case __NR_memfd_create: return (a[1] & MFD_HUGETLB) != 0;
    case __NR_shmget: return (a[2] & SHM_HUGETLB) != 0;
    case __NR_pipe2: return (a[1] & O_EXCL) != 0;
    case __NR_sendto:
    case __NR_sendmmsg: return (a[3] & MSG_OOB) != 0;
    case __NR_sendmsg: return (a[2] & MSG_OOB) != 0;
    case __NR_futex: return OneOf(a[1] & 0x7f, {11, 12});
    case __NR_getsockopt: return OneOf(a[1], {IPPROTO_IP}) && OneOf(a[2], {64, 65, 66, 67});
    case __NR_seccomp:
      return ownFilters ? (a[1] & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0
                        : OneOf(a[0], {SECCOMP_SET_MODE_FILTER}) && !hasKey;
    case __NR_prctl:
      // PR_SCHED_CORE, PR_SET_MEMORY_MERGE, later ones but PR_SET_PTRACER and PR_GET_AUXV
      return OneOf(a[0], {62, 67}) || ((uint32_t)a[0] > 76 && !OneOf(a[0], {PR_SET_PTRACER, 0x41555856})) ||
             (!ownFilters && OneOf(a[0], {PR_SET_SECCOMP}) && OneOf(a[1], {SECCOMP_MODE_FILTER}));
    case __NR_madvise: return OneOf(a[2], {MADV_MERGEABLE, 25 /* MADV_COLLAPSE */});
    case __NR_mincore: return a[1] >> 32 != 0;
    case __NR_ptrace: {
      const bool asked = OneOf(a[0], {PTRACE_ATTACH, PTRACE_DETACH, PTRACE_CONT, PTRACE_KILL,
                                         12 /* PTRACE_GETREGS */, PTRACE_GETREGSET});
      return (subject.allowed & kAllowTracing) == 0 || !asked || (uint32_t)a[1] == 1;
    }
    case __NR_io_setup: return (subject.allowed & kAllowAio) == 0;
    case __NR_setsockopt: return RefusesOption(a[1], a[2]);
  }
  Fail(__FILE__, __LINE__, std::string("a condition that this test does not know: ") + row.name);
  return false;
}

uint32_t SocketAnswer(const Subject& subject, uint32_t number, const Args& args) {
  const auto family = (uint32_t)args.values[0], type = (uint32_t)args.values[1] & 0xf,
             protocol = (uint32_t)args.values[2];
  // Libraries ask for addresses there, and do without where there are none.
  const bool routes =
      number == __NR_socket && subject.interfaces && !subject.strict && protocol == NETLINK_ROUTE;
  if (family == AF_NETLINK) return routes ? kAllow : SECCOMP_RET_ERRNO | EAFNOSUPPORT;
  if (family == AF_UNIX)
    return OneOf(type, {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) ? kAllow : subject.Refusal(ESOCKTNOSUPPORT);
  if (subject.strict || (family != AF_INET && family != AF_INET6)) return subject.Refusal(EAFNOSUPPORT);
  if (!OneOf(type, {SOCK_STREAM, SOCK_DGRAM})) return subject.Refusal(ESOCKTNOSUPPORT);
  const uint32_t own = type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
  return OneOf(protocol, {0, own}) ? kAllow : SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
}

std::map<uint32_t, SeccompRow> Table() {
  size_t count = 0;
  const SeccompRow* rows = SeccompRows(count);
  std::map<uint32_t, SeccompRow> table;
  for (size_t i = 0; i < count; ++i) table.emplace((uint32_t)rows[i].number, rows[i]);
  return table;
}

// Whether Linux 6.18 has no such call: numbers go on at 424 on all architectures.
bool IsMissing(uint32_t number) {
  const uint32_t lastOwn = __NR_rseq == 334 ? 336 : 294;
  return number > kNewestCall || (number > lastOwn && number < 424);
}

uint32_t Expected(
    const std::map<uint32_t, SeccompRow>& table, const Subject& subject, uint32_t number, const Args& args) {
  if (IsMissing(number)) return SECCOMP_RET_ERRNO | ENOSYS;
  const auto found = table.find(number);
  if (found == table.end() || !subject.Has(found->second)) return kAllow;
  const SeccompRow& row = found->second;
  if (row.error == EAFNOSUPPORT) return SocketAnswer(subject, number, args);
  const bool setsCore =
      row.number == __NR_prlimit64 && OneOf(args.values[1], {RLIMIT_CORE}) && args.values[2] != 0;
  if (setsCore && (uint32_t)args.values[0] != 1)
    return args.values[3] == 0 ? SECCOMP_RET_ERRNO : subject.Refusal(EPERM);
  const bool locksOpenFile = row.number == __NR_fcntl && OneOf(args.values[1], {36, 37, 38});
  if (locksOpenFile && !subject.strict) return subject.Refusal(EINVAL);
  if (row.condition != nullptr && !ConditionHolds(row, subject, args)) return kAllow;
  return subject.Refusal(row.error);
}

// Words that matter to some check, each alone, with others' bits above.
std::vector<Args> InterestingArgs() {
  std::vector<uint64_t> words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 22, 62, 67, 0x53564d41,
      PR_SET_PTRACER, 0x41555856, 0x893f, SIOCGIFBR, SIOCGIFTXQLEN, 0x8946, 0x894b, SIOCGARP, SIOCGIFMAP,
      SIOCGIFVLAN, SIOCBRADDBR, 0x89ff, 0x8a00, 0x4204, 36, 37, 38, 39, 40, 1024, 1025, 1026, 1027, 1035,
      1036, 1037, 1038, 1039, 1040, 0x9408, 0x940a, FICLONE, FIDEDUPERANGE, 65, 73, 04000, TIOCSTI, TIOCLINUX,
      TIOCSETD, FS_IOC_ADD_ENCRYPTION_KEY, 57, 0x20000, 0x20008, 0x40000, 0xffffffff, ~0ULL};
  for (int bit = 0; bit < 64; ++bit) words.push_back(1ULL << bit);
  std::vector<Args> all;
  for (const uint64_t word : words) {
    all.push_back({{word, 0, 0, 0, 0, 0}});
    all.push_back({{0, word, 0, 0, 0, 0}});
    all.push_back({{0, 0, 0, word, 0, 0}});
    all.push_back({{0, 0, word, 0, 0, 0}});
    all.push_back({{word, 0, 0, kLaunchKey.first(), kLaunchKey.second(), 0}});
    all.push_back({{word, 1, word, 0, 0, 0}});
    all.push_back({{word, 2, word, 0, 0, 0}});
    all.push_back({{word | kHigh, word | kHigh, ~0ULL, ~0ULL, ~0ULL, ~0ULL}});
  }
  for (const uint64_t family : {AF_UNIX, AF_INET, AF_INET6})
    for (uint64_t type = 0; type < 12; ++type)
      for (const uint64_t protocol : {0, 1, 6, 17, 58, 132, 136, 262})
        all.push_back({{family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol}});
  all.push_back({{PR_SET_SECCOMP, SECCOMP_MODE_FILTER}});
  for (const uint64_t set : {0ULL, kHigh, 1ULL, ~0ULL})
    for (const uint64_t get : {0ULL, kHigh, 1ULL}) all.push_back({{kHigh, RLIMIT_CORE, set, get}});
  for (const uint64_t protocol : {0, 4, 9}) all.push_back({{AF_NETLINK | kHigh, 3, protocol | kHigh}});
  for (const uint64_t level : {0, 1, 2, 6, 17, 41, 270, 282})
    for (uint64_t option = 0; option < 128; ++option) all.push_back({{3, level | kHigh, option | kHigh}});
  return all;
}

TEST("every call from 0 to 1024 is answered as the table says, whatever its arguments") {
  const auto table = Table();
  const std::vector<Args> args = InterestingArgs();
  ForEachSubject([&](Subject& subject) {
    for (uint32_t number = 0; number <= 1024; ++number)
      for (const Args& some : args)
        EXPECT_EQ(subject.Run(number, some), Expected(table, subject, number, some));
  });
}

// What a check leaves loaded must not be taken for a call's number by what comes after it.
TEST("the check of a row ends there: arguments that are numbers of calls are answered as others") {
  const auto table = Table();
  ForEachSubject([&](Subject& subject) {
    for (const auto& [number, row] : table)
      for (uint64_t word = 0; row.condition != nullptr && word <= kNewestCall; ++word)
        for (const Args& some : {Args{{word}}, Args{{0, word}}, Args{{0, 0, word}}, Args{{0, 0, 0, word}}})
          EXPECT_EQ(subject.Run(number, some), Expected(table, subject, number, some));
  });
}

TEST("every row of the table is refused with its errno, or kills") {
  const auto table = Table();
  const Args worst = {{kNamespaces, TIOCSTI, 0, MAP_HUGETLB, 0, 0}};
  const std::map<int, Args> special = {{__NR_fcntl, {{0, 1024}}}, {__NR_prlimit64, {{1}}},
      {__NR_sched_setaffinity, {{1}}}, {__NR_sched_setscheduler, {{1}}}, {__NR_sched_setparam, {{1}}},
      {__NR_setpriority, {{PRIO_PROCESS, 1}}}, {__NR_ioprio_set, {{1, 1}}},
      {__NR_memfd_create, {{0, MFD_HUGETLB}}}, {__NR_seccomp, {{1, SECCOMP_FILTER_FLAG_NEW_LISTENER}}},
      {__NR_prctl, {{67}}}, {__NR_setrlimit, {{RLIMIT_CORE}}}, {__NR_madvise, {{0, 0, MADV_MERGEABLE}}},
      {__NR_ptrace, {{PTRACE_TRACEME}}}, {__NR_setsockopt, {{3, SOL_SOCKET, SO_ATTACH_FILTER}}},
      {__NR_getsockopt, {{3, IPPROTO_IP, 64}}}, {__NR_shmget, {{0, 4096, SHM_HUGETLB}}},
      {__NR_pipe2, {{0, O_EXCL}}}, {__NR_sendto, {{3, 0, 0, MSG_OOB}}}, {__NR_sendmmsg, {{3, 0, 0, MSG_OOB}}},
      {__NR_sendmsg, {{3, 0, MSG_OOB}}}, {__NR_futex, {{0, 11}}}, {__NR_mincore, {{0, 1ULL << 32}}},
      {__NR_kill, {{1, 9}}}, {__NR_tkill, {{1, 9}}}, {__NR_tgkill, {{1, 1, 9}}},
      {__NR_rt_sigqueueinfo, {{1, 9}}}, {__NR_rt_tgsigqueueinfo, {{1, 1, 9}}}};
  ForEachSubject([&](Subject& subject) {
    for (const auto& [number, row] : table) {
      if (!subject.Has(row) || (row.number == __NR_io_setup && (subject.allowed & kAllowAio) != 0)) continue;
      const auto own = special.find(row.number);
      const Args& args = own == special.end() ? worst : own->second;
      EXPECT_EQ(subject.Run(number, args), subject.Refusal(row.error));
    }
  });
}

// As the kernel: the strictest answer counts, of two of one kind that of the filter that was loaded last.
uint32_t Together(uint32_t first, uint32_t last) {
  const auto strictness = [](uint32_t answer) { return answer == kAllow ? 0 : answer == kKill ? 2 : 1; };
  return strictness(first) > strictness(last) ? first : last;
}

TEST("over the filter before the set-up the one after it is the whole one, and a whole one as if alone") {
  const std::vector<Args> args = InterestingArgs();
  for (const bool ignoreSignals : {false, true})
    for (const bool interfaces : {false, true}) {
      const auto subject = [&](SeccompProfile profile, bool kill, FilterPart part) {
        const bool inherited = part == FilterPart::kInherited;  // loaded before anybody asks for a network
        return Subject({profile, kill, ignoreSignals, {}, interfaces && !inherited, part});
      };
      Subject inherited = subject(SeccompProfile::kDefault, false, FilterPart::kInherited),
              after = subject(SeccompProfile::kDefault, false, FilterPart::kAfterSetUp),
              wholes[] = {subject(SeccompProfile::kDefault, false, FilterPart::kWhole),
                  subject(SeccompProfile::kDefault, true, FilterPart::kWhole),
                  subject(SeccompProfile::kStrict, false, FilterPart::kWhole),
                  subject(SeccompProfile::kStrict, true, FilterPart::kWhole)};
      for (uint32_t number = 0; number <= 1024; ++number)
        for (const Args& some : args) {
          const uint32_t first = inherited.Run(number, some), second = after.Run(number, some);
          EXPECT_EQ(Together(first, second), wholes[0].Run(number, some));
          EXPECT(first == kAllow || second == kAllow);
          for (Subject& whole : wholes) {
            const uint32_t alone = whole.Run(number, some);
            EXPECT_EQ(Together(first, alone), alone);
          }
        }
      EXPECT(after.filter().length < 40);
    }
}

TEST("the filter before the set-up lets set-ups be") {
  Subject inherited({SeccompProfile::kDefault, false, false, {}, false, FilterPart::kInherited});
  for (const int number :
      {__NR_clone3, __NR_unshare, __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_move_mount, __NR_open_tree})
    EXPECT_EQ(inherited.Run((uint32_t)number, {{kNamespaces}}), kAllow);
}

TEST("no call stands in the table twice") {
  size_t count = 0;
  (void)SeccompRows(count);
  EXPECT_EQ(Table().size(), count);
}

// The list of the project's reference, so that a row that is lost is missed.
constexpr uint32_t kEnosys[] = {__NR_clone3, __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register,
    __NR_fsopen, __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_open_tree, 467 /* open_tree_attr */,
    __NR_move_mount, __NR_mount_setattr, 457 /* statmount */, 458 /* listmount */, 451 /* cachestat */,
    __NR_process_mrelease, __NR_nfsservctl, __NR_lookup_dcookie, 459 /* lsm_get_self_attr */,
    460 /* lsm_set_self_attr */, 461 /* lsm_list_modules */};
constexpr uint32_t kEperm[] = {__NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_setns,
    __NR_process_vm_readv, __NR_process_vm_writev, __NR_pidfd_getfd, __NR_process_madvise, __NR_add_key,
    __NR_request_key, __NR_keyctl, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd, __NR_memfd_secret,
    __NR_name_to_handle_at, __NR_open_by_handle_at, __NR_fanotify_init, __NR_init_module, __NR_finit_module,
    __NR_delete_module, __NR_kexec_load, __NR_kexec_file_load, __NR_reboot, __NR_swapon, __NR_swapoff,
#ifdef __NR_iopl
    __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_uselib, __NR_ustat, __NR_sysfs, __NR__sysctl,
#endif
    __NR_acct, __NR_quotactl, __NR_quotactl_fd, __NR_syslog, __NR_settimeofday, __NR_clock_settime,
    __NR_clock_adjtime, __NR_adjtimex, __NR_sethostname, __NR_setdomainname, __NR_vhangup, __NR_move_pages,
    __NR_migrate_pages, __NR_mbind, __NR_set_mempolicy, __NR_set_mempolicy_home_node};
constexpr uint32_t kEopnotsupp[] = {__NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, 463 /* setxattrat */};
constexpr uint32_t kEinval[] = {__NR_splice, __NR_tee, __NR_vmsplice};
constexpr uint32_t kStrictOnly[] = {__NR_flock,
#ifdef __NR_inotify_init
    __NR_inotify_init,
#endif
    __NR_inotify_init1, __NR_inotify_add_watch};
constexpr uint32_t kWithoutEffect[] = {__NR_sync, __NR_syncfs};
constexpr uint32_t kWithoutEffectOnMemory[] = {__NR_fsync, __NR_fdatasync};
struct Conditional {
  uint32_t number;
  int error;
  SeccompWhen when = SeccompWhen::kAlways;
};
constexpr Conditional kWithCondition[] = {{__NR_clone, EPERM},
    {__NR_unshare, EPERM, SeccompWhen::kAfterSetUp}, {__NR_personality, EPERM}, {__NR_ioctl, EPERM},
    {__NR_socket, EAFNOSUPPORT, SeccompWhen::kBothParts}, {__NR_socketpair, EAFNOSUPPORT},
    {__NR_fcntl, EPERM}, {__NR_prlimit64, EPERM}, {__NR_sched_setaffinity, EPERM},
    {__NR_sched_setscheduler, EPERM}, {__NR_sched_setparam, EPERM}, {__NR_sched_setattr, EPERM},
    {__NR_setpriority, EPERM}, {__NR_ioprio_set, EPERM}, {__NR_kill, 0, SeccompWhen::kIgnoreSignals},
    {__NR_tkill, 0, SeccompWhen::kIgnoreSignals}, {__NR_tgkill, 0, SeccompWhen::kIgnoreSignals},
    {__NR_rt_sigqueueinfo, 0, SeccompWhen::kIgnoreSignals},
    {__NR_rt_tgsigqueueinfo, 0, SeccompWhen::kIgnoreSignals}, {__NR_mmap, ENOMEM},
    {__NR_memfd_create, ENOMEM}, {__NR_seccomp, EINVAL}, {__NR_setsockopt, ENOPROTOOPT}, {__NR_prctl, EINVAL},
    {__NR_madvise, EINVAL}, {__NR_ptrace, EPERM}, {__NR_io_setup, ENOSYS}, {__NR_setrlimit, 0},
    {__NR_kcmp, EPERM}, {__NR_getsockopt, ENOPROTOOPT}, {__NR_shmget, ENOMEM}, {__NR_pipe2, ENOPKG},
    {__NR_sendto, EOPNOTSUPP}, {__NR_sendmmsg, EOPNOTSUPP}, {__NR_sendmsg, EOPNOTSUPP},
    {__NR_futex, ENOSYS, SeccompWhen::kStrict}, {__NR_mincore, ENOMEM}};

TEST("the calls of the reference are refused, and no others are in the table") {
  ForEachSubject([&](Subject& subject) {
    for (const uint32_t number : kEnosys) EXPECT_EQ(subject.Run(number), subject.Refusal(ENOSYS));
    for (const uint32_t number : kEperm) EXPECT_EQ(subject.Run(number), subject.Refusal(EPERM));
    // Even when it kills.
    for (const uint32_t number : kEopnotsupp) EXPECT_EQ(subject.Run(number), SECCOMP_RET_ERRNO | EOPNOTSUPP);
    for (const uint32_t number : kEinval) EXPECT_EQ(subject.Run(number), SECCOMP_RET_ERRNO | EINVAL);
    for (const uint32_t number : kWithoutEffect) EXPECT_EQ(subject.Run(number), SECCOMP_RET_ERRNO);
    for (const uint32_t number : kWithoutEffectOnMemory)
      EXPECT_EQ(subject.Run(number), subject.writableRows ? kAllow : SECCOMP_RET_ERRNO);
    for (const uint32_t number : kStrictOnly)
      EXPECT_EQ(subject.Run(number), subject.strict ? subject.Refusal(EPERM) : kAllow);
  });
  const auto table = Table();
  size_t conditions = 0;
  for (const auto& [number, row] : table) conditions += row.condition != nullptr;
  for (const auto& [number, error, when] : kWithCondition) {
    REQUIRE(table.count(number) != 0);
    const SeccompRow& row = table.at(number);
    EXPECT(row.condition != nullptr && row.when == when);
    EXPECT_EQ(row.error, error);
  }
  EXPECT_EQ(conditions, std::size(kWithCondition));
  EXPECT_EQ(table.size(), std::size(kEnosys) + std::size(kEperm) + std::size(kEopnotsupp) +
                              std::size(kEinval) + std::size(kStrictOnly) + std::size(kWithoutEffect) +
                              std::size(kWithoutEffectOnMemory) + std::size(kWithCondition));
}

TEST("calls that runtimes need stay allowed") {
  constexpr uint32_t kNeeded[] = {__NR_read, __NR_execve, __NR_execveat, __NR_pkey_alloc, __NR_pkey_mprotect,
      __NR_membarrier, __NR_rseq, __NR_landlock_create_ruleset, __NR_pidfd_open, __NR_pidfd_send_signal,
      __NR_sched_setaffinity, __NR_setpriority, __NR_semget, __NR_mq_open, __NR_mprotect, __NR_exit_group};
  ForEachSubject([&](Subject& subject) {
    for (const uint32_t number : kNeeded) EXPECT_EQ(subject.Run(number, {{~0ULL, ~0ULL, ~0ULL}}), kAllow);
  });
}

TEST("calls that Linux 6.18 does not have fail with ENOSYS, x32 numbers among them, killing or not") {
  ForEachSubject([&](Subject& subject) {
    for (uint32_t number = 0; number <= 1024; ++number)
      if (IsMissing(number)) EXPECT_EQ(subject.Run(number), SECCOMP_RET_ERRNO | ENOSYS);
    EXPECT_EQ(subject.Run(kNewestCall), kAllow);
    for (uint32_t number = 0; number <= 1024; ++number)
      EXPECT_EQ(subject.Run(number | kX32Bit), SECCOMP_RET_ERRNO | ENOSYS);
    for (const uint32_t number : {0x7fffffffU, 0x80000000U, 0xffffffffU})
      EXPECT_EQ(subject.Run(number), SECCOMP_RET_ERRNO | ENOSYS);
  });
}

TEST("another architecture's calls kill the process") {
  constexpr uint32_t kForeign[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_PPC64, AUDIT_ARCH_S390X,
      kNative ^ 1, kNative ^ 0x40000000, kNative ^ 0x80000000, 0, 0xffffffff,
      kNative == AUDIT_ARCH_X86_64 ? (uint32_t)AUDIT_ARCH_AARCH64 : (uint32_t)AUDIT_ARCH_X86_64};
  ForEachSubject([&](Subject& subject) {
    for (const uint32_t arch : kForeign)
      for (uint32_t number = 0; number <= 1024; ++number) EXPECT_EQ(subject.Run(number, {}, arch), kKill);
  });
}

TEST("filters are within their bound, and every jump and load is one that the kernel takes") {
  ForEachSubject([&](Subject& subject) {
    const Filter& filter = subject.filter();
    REQUIRE(filter.length > 0 && filter.length <= kFilterLengthMax && filter.length <= BPF_MAXINSNS);
    for (size_t at = 0; at < filter.length; ++at) {
      const struct sock_filter& instruction = filter.code[at];
      if (BPF_CLASS(instruction.code) == BPF_JMP) {
        EXPECT(BPF_OP(instruction.code) != BPF_JA);
        EXPECT(at + 1 + instruction.jt < filter.length && at + 1 + instruction.jf < filter.length);
      } else if (BPF_CLASS(instruction.code) == BPF_LD) {
        EXPECT(instruction.k % 4 == 0 && instruction.k < sizeof(struct seccomp_data));
        // The kernel loads them below.
      } else if (BPF_CLASS(instruction.code) != BPF_ALU && BPF_CLASS(instruction.code) != BPF_LDX &&
                 BPF_CLASS(instruction.code) != BPF_ST) {
        EXPECT_EQ(BPF_CLASS(instruction.code), BPF_RET);
      }
    }
    EXPECT_EQ(BPF_CLASS(filter.code[filter.length - 1].code), BPF_RET);
  });
}

TEST("every instruction is reached by some input") {
  const std::vector<Args> args = InterestingArgs();
  ForEachSubject([&](Subject& subject) {
    for (uint32_t number = 0; number <= 1024; ++number)
      for (const Args& some : args) (void)subject.Run(number, some);
    (void)subject.Run(0, {}, AUDIT_ARCH_I386);
    for (size_t at = 0; at < subject.executed().size(); ++at)
      if (!subject.executed()[at])
        Fail(__FILE__, __LINE__, "instruction " + Shown(at) + " is never executed");
  });
}

// The exit code says which step failed; a child, since a filter stays.
int LoadInChild(const Filter& filter) {
  const pid_t child = fork();
  if (child == 0) {
    const struct sock_fprog program = {
        (unsigned short)filter.length, const_cast<struct sock_filter*>(filter.code)};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(1);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) _exit(2);
    const long refused = syscall(SYS_fsopen, nullptr, 0);
    _exit(refused == -1 && errno == ENOSYS ? 0 : 3);
  }
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST("this kernel loads every filter and obeys it") {
  ForEachSubject([&](Subject& subject) { EXPECT_EQ(LoadInChild(subject.filter()), 0); });
}

}  // namespace
}  // namespace sbx::test
