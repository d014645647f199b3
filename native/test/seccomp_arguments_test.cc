// Calls that are refused for some of their arguments.
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include <set>

#include "seccomp_subject.h"
#include "test.h"

namespace sbx::test {
namespace {

TEST("clone is refused for each namespace flag alone and allowed for every other bit") {
  ForEachSubject([&](Subject& subject) {
    for (int bit = 0; bit < 64; ++bit) {
      const uint64_t flag = 1ULL << bit;
      // CLONE_NEWTIME's bit is part of the exit signal here.
      const uint32_t expected = (flag & kNamespaces) != 0 ? subject.Refusal(EPERM) : kAllow;
      EXPECT_EQ(subject.Run(__NR_clone, {{flag}}), expected);
      EXPECT_EQ(subject.Run(__NR_clone, {{flag | SIGCHLD | CLONE_VM | CLONE_THREAD}}), expected);
    }
    EXPECT_EQ(subject.Run(__NR_clone, {{SIGCHLD, ~0ULL, ~0ULL, ~0ULL, ~0ULL}}), kAllow);
  });
}

TEST("unshare is refused for each namespace flag alone, time among them, and allowed for every other bit") {
  ForEachSubject([&](Subject& subject) {
    for (int bit = 0; bit < 64; ++bit) {
      const uint64_t flag = 1ULL << bit;
      EXPECT_EQ(subject.Run(__NR_unshare, {{flag}}),
          (flag & (kNamespaces | CLONE_NEWTIME)) != 0 ? subject.Refusal(EPERM) : kAllow);
      EXPECT_EQ(subject.Run(__NR_unshare, {{CLONE_FILES | flag | CLONE_NEWUSER}}), subject.Refusal(EPERM));
    }
  });
}

TEST("personality takes the harmless ones and the query only") {
  ForEachSubject([&](Subject& subject) {
    for (const uint64_t persona : {0ULL, 8ULL, 0x20000ULL, 0x20008ULL, 0x40000ULL, 0xffffffffULL}) {
      EXPECT_EQ(subject.Run(__NR_personality, {{persona}}), kAllow);
      EXPECT_EQ(subject.Run(__NR_personality, {{persona | kHigh}}), kAllow);
    }
    for (const uint64_t persona :
        {1ULL, 7ULL, 9ULL, 0x0400000ULL, 0x0100000ULL, 0x60000ULL, 0x40008ULL, 0xfffffffeULL, 0x4000000ULL})
      EXPECT_EQ(subject.Run(__NR_personality, {{persona}}), subject.Refusal(EPERM));
  });
}

TEST(
    "terminals are not typed into nor given a discipline, nothing loads bridges or VLANs, high bits or not") {
  ForEachSubject([&](Subject& subject) {
    for (const uint64_t request : {(uint64_t)TIOCSTI, (uint64_t)TIOCLINUX, (uint64_t)TIOCSETD,
             (uint64_t)FS_IOC_ADD_ENCRYPTION_KEY, 0x8940UL, 0x8982UL, 0x89a0UL, 0x89ffUL})
      for (const uint64_t high : {0ULL, kHigh, 1ULL << 63, 0xffffffff00000000ULL})
        EXPECT_EQ(subject.Run(__NR_ioctl, {{0, request | high}}), subject.Refusal(EPERM));
    for (const uint64_t request : {(uint64_t)TCGETS, (uint64_t)TIOCGWINSZ, (uint64_t)TIOCSTI + 1,
             (uint64_t)TIOCSTI - 1, (uint64_t)FS_IOC_GET_ENCRYPTION_KEY_STATUS, 0x893fUL, 0x8946UL, 0x8a00UL})
      EXPECT_EQ(subject.Run(__NR_ioctl, {{TIOCSTI, request}}), kAllow);
  });
}

TEST("sockets are of three families, of one when strict; asking for netlink never kills") {
  const std::set<uint64_t> open = {AF_UNIX, AF_INET, AF_INET6};
  ForEachSubject([&](Subject& subject) {
    for (uint64_t family = 0; family < 64; ++family) {
      if (family == AF_NETLINK) continue;
      const bool allowed = subject.strict ? family == AF_UNIX : open.count(family) != 0;
      for (const uint32_t call : {__NR_socket, __NR_socketpair})
        for (const uint64_t high : {0ULL, kHigh})
          EXPECT_EQ(subject.Run(call, {{family | high, SOCK_STREAM}}),
              allowed ? kAllow : subject.Refusal(EAFNOSUPPORT));
    }
    EXPECT_EQ(subject.Run(__NR_socket, {{~0ULL}}), subject.Refusal(EAFNOSUPPORT));
    for (uint64_t protocol = 0; protocol < 32; ++protocol) {
      const bool allowed = protocol == NETLINK_ROUTE && subject.interfaces && !subject.strict;
      for (const uint64_t high : {0ULL, kHigh})
        EXPECT_EQ(subject.Run(__NR_socket, {{AF_NETLINK | high, SOCK_RAW, protocol | high}}),
            allowed ? kAllow : SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    }
  });
}

TEST("sockets of the network are TCP and UDP, those of UNIX all but raw ones, whatever their flags") {
  ForEachSubject([&](Subject& subject) {
    for (const uint32_t call : {__NR_socket, __NR_socketpair})
      for (const uint64_t flags : {0ULL, (unsigned long long)SOCK_CLOEXEC | SOCK_NONBLOCK, kHigh})
        for (uint64_t type = 0; type < 16; ++type) {
          const bool known = type == SOCK_STREAM || type == SOCK_DGRAM;
          EXPECT_EQ(subject.Run(call, {{AF_UNIX, type | flags, 0}}),
              known || type == SOCK_SEQPACKET ? kAllow : subject.Refusal(ESOCKTNOSUPPORT));
          for (const uint64_t family : {AF_INET, AF_INET6})
            for (uint64_t protocol = 0; protocol < 300; ++protocol) {
              const bool allowed =
                  protocol == 0 || protocol == (type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP);
              const uint32_t expected = subject.strict ? subject.Refusal(EAFNOSUPPORT)
                                        : !known       ? subject.Refusal(ESOCKTNOSUPPORT)
                                        : allowed      ? kAllow
                                                       : SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
              EXPECT_EQ(subject.Run(call, {{family, type | flags, protocol | (flags & kHigh)}}), expected);
            }
        }
  });
}

TEST("programs load no filters unless they may, and then without a listener") {
  ForEachSubject([&](Subject& subject) {
    const bool may = (subject.allowed & kAllowFilters) != 0;
    const uint32_t refused = SECCOMP_RET_ERRNO | EINVAL;  // even when it kills
    for (int bit = 0; bit < 64; ++bit)
      for (uint64_t operation = 0; operation < 8; ++operation) {
        const uint32_t expected = may                                    ? (bit == 3 ? refused : kAllow)
                                  : operation == SECCOMP_SET_MODE_FILTER ? refused
                                                                         : kAllow;
        EXPECT_EQ(subject.Run(__NR_seccomp, {{operation, 1ULL << bit}}), expected);
        EXPECT_EQ(subject.Run(__NR_seccomp, {{operation | kHigh, 1ULL << bit | kHigh}}), expected);
      }
    for (uint64_t option = 0; option < 100; ++option)
      for (uint64_t mode = 0; mode < 4; ++mode) {
        const bool filter = option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER;
        // PR_SCHED_CORE, PR_SET_MEMORY_MERGE, and what came later.
        const bool never = option == 62 || option == 67 || option > 76;
        for (const uint64_t high : {0ULL, kHigh})
          EXPECT_EQ(subject.Run(__NR_prctl, {{option | high, mode | high}}),
              never || (filter && !may) ? refused : kAllow);
      }
    for (uint64_t advice = 0; advice < 128; ++advice)
      EXPECT_EQ(subject.Run(__NR_madvise, {{0, 4096, advice | kHigh}}),
          advice == MADV_MERGEABLE || advice == 25 /* MADV_COLLAPSE */ ? refused : kAllow);
  });
}

TEST("the launch key is all of its bits, and a wrong one takes as many steps as any other") {
  ForEachSubject([&](Subject& subject) {
    const auto args = [](const LaunchKey& key) { return Args{{1, 0, 0, key.first(), key.second()}}; };
    for (const uint32_t call : {__NR_sched_setattr, __NR_kcmp, __NR_seccomp}) {
      if (call == __NR_seccomp && (subject.allowed & kAllowFilters) != 0) continue;
      const uint32_t refused = call == __NR_seccomp ? SECCOMP_RET_ERRNO | EINVAL : subject.Refusal(EPERM);
      EXPECT_EQ(subject.Run(call, args(kLaunchKey)), kAllow);
      EXPECT_EQ(subject.Run(call, args({})), refused);
      const size_t steps = subject.steps();
      for (unsigned bit = 0; bit < 128; ++bit) {
        LaunchKey wrong = kLaunchKey;
        wrong.words[bit / 32] ^= 1U << bit % 32;
        EXPECT_EQ(subject.Run(call, args(wrong)), refused);
        EXPECT_EQ(subject.steps(), steps);
      }
    }
  });
}

TEST("tracing, where programs may, is what a leak checker asks, and never of init") {
  ForEachSubject([&](Subject& subject) {
    const bool may = (subject.allowed & kAllowTracing) != 0;
    const std::set<uint64_t> asked = {
        PTRACE_CONT, PTRACE_KILL, 12 /* PTRACE_GETREGS */, PTRACE_ATTACH, PTRACE_DETACH, PTRACE_GETREGSET};
    for (uint64_t request = 0; request < 0x4300; ++request)
      for (const uint64_t pid : {1ULL, 1ULL | kHigh, 2ULL, 0ULL, ~0ULL}) {
        const bool allowed = may && asked.count(request) != 0 && (uint32_t)pid != 1;
        EXPECT_EQ(subject.Run(__NR_ptrace, {{request, pid}}), allowed ? kAllow : subject.Refusal(EPERM));
      }
  });
}

TEST("sockets get no filters, reserves, keys, headers, labels, inner protocols, and join no groups") {
  ForEachSubject([&](Subject& subject) {
    const std::set<std::pair<uint64_t, uint64_t>> refused = {{SOL_SOCKET, 26}, {SOL_SOCKET, 51},
        {SOL_SOCKET, SO_RESERVE_MEM}, {6, 14}, {6, 31}, {6, 32}, {6, 38}, {6, 40}, {17, 100}, {0, 35},
        {0, 39}, {0, 42}, {0, 46}, {0, 64}, {0, 65}, {0, 66}, {0, 67}, {41, 1}, {41, 20}, {41, 42}, {41, 46},
        {41, 6}, {41, 57}, {41, 32}};
    const std::set<uint64_t> levels = {SOL_SOCKET, IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6, 270};
    for (uint64_t level = 0; level < 300; ++level)
      for (uint64_t option = 0; option < 128; ++option) {
        const bool isRefused = levels.count(level) == 0 || refused.count({level, option}) != 0;
        const uint32_t expected = isRefused ? subject.Refusal(ENOPROTOOPT) : kAllow;
        EXPECT_EQ(subject.Run(__NR_setsockopt, {{level, level, option}}), expected);
        EXPECT_EQ(subject.Run(__NR_setsockopt, {{0, level | kHigh, option | kHigh}}), expected);
      }
  });
}

TEST("fcntl sets no leases and no locks of open files; strict: no locks, notification and hints, either") {
  const std::set<uint64_t> refused = {
      F_GETLK, F_SETLK, F_SETLKW, 36, 37, 38, 1024, 1025, 1026, 1035, 1036, 1037, 1038, 1039, 1040};
  const std::set<uint64_t> leases = {1024, 1040};
  ForEachSubject([&](Subject& subject) {
    const std::set<uint64_t>& all = subject.strict ? refused : leases;
    for (uint64_t command = 0; command < 2048; ++command) {
      const bool isOfOpenFile = !subject.strict && command >= 36 && command <= 38;
      const uint32_t expected = all.count(command) != 0 ? subject.Refusal(EPERM)
                                : isOfOpenFile          ? subject.Refusal(EINVAL)
                                                        : kAllow;
      EXPECT_EQ(subject.Run(__NR_fcntl, {{command, command}}), expected);
      EXPECT_EQ(subject.Run(__NR_fcntl, {{0, command | kHigh}}), expected);
    }
  });
}

TEST("memory of huge pages is refused, by mapping and by file, and all other memory given") {
  ForEachSubject([&](Subject& subject) {
    for (int bit = 0; bit < 64; ++bit) {
      const uint64_t flag = 1ULL << bit;
      EXPECT_EQ(subject.Run(__NR_mmap, {{0, 4096, 3, flag | MAP_PRIVATE, 0, 0}}),
          flag == MAP_HUGETLB ? subject.Refusal(ENOMEM) : kAllow);
      EXPECT_EQ(subject.Run(__NR_memfd_create, {{~0ULL, flag}}),
          flag == MFD_HUGETLB ? subject.Refusal(ENOMEM) : kAllow);
    }
    EXPECT_EQ(
        subject.Run(__NR_mmap, {{~0ULL, ~0ULL, ~0ULL, MAP_PRIVATE | MAP_ANONYMOUS, ~0ULL, ~0ULL}}), kAllow);
  });
}

TEST("no urgent bytes are sent, no queues of notices made; the host's tables are not asked for") {
  ForEachSubject([&](Subject& subject) {
    for (int bit = 0; bit < 64; ++bit) {
      const uint64_t flag = 1ULL << bit;
      const uint32_t sent = flag == MSG_OOB ? SECCOMP_RET_ERRNO | EOPNOTSUPP : kAllow;
      EXPECT_EQ(subject.Run(__NR_sendto, {{~0ULL, ~0ULL, ~0ULL, flag, ~0ULL, ~0ULL}}), sent);
      EXPECT_EQ(subject.Run(__NR_sendmmsg, {{~0ULL, ~0ULL, ~0ULL, flag}}), sent);
      EXPECT_EQ(subject.Run(__NR_sendmsg, {{~0ULL, ~0ULL, flag}}), sent);
      EXPECT_EQ(
          subject.Run(__NR_pipe2, {{~0ULL, flag}}), flag == O_EXCL ? SECCOMP_RET_ERRNO | ENOPKG : kAllow);
      EXPECT_EQ(subject.Run(__NR_shmget, {{~0ULL, ~0ULL, flag}}),
          flag == SHM_HUGETLB ? subject.Refusal(ENOMEM) : kAllow);
    }
    for (int bit = 0; bit < 64; ++bit)
      EXPECT_EQ(subject.Run(__NR_mincore, {{~0ULL, 1ULL << bit, ~0ULL}}),
          bit < 32 ? kAllow : subject.Refusal(ENOMEM));
    for (uint64_t level = 0; level < 300; ++level)
      for (uint64_t option = 0; option < 128; ++option)
        EXPECT_EQ(subject.Run(__NR_getsockopt, {{0, level | kHigh, option | kHigh}}),
            level == 0 && option >= 64 && option <= 67 ? subject.Refusal(ENOPROTOOPT) : kAllow);
    for (uint64_t operation = 0; operation < 1024; ++operation) {
      const bool handsOn = (operation & 0x7f) == 11 || (operation & 0x7f) == 12;
      EXPECT_EQ(subject.Run(__NR_futex, {{0, operation | kHigh}}),
          subject.strict && handsOn ? subject.Refusal(ENOSYS) : kAllow);
    }
  });
}

TEST("requests of btrfs are refused, but for those that all file systems have") {
  ForEachSubject([&](Subject& subject) {
    const std::set<uint64_t> clones = {FICLONE, FICLONERANGE, FIDEDUPERANGE};
    for (uint64_t number = 0; number < 256; ++number)
      for (const uint64_t sizes : {0ULL, 0x40040000ULL, 0x40200000ULL, 0xc0180000ULL, 0x80080000ULL}) {
        const uint64_t request = sizes | 0x9400 | number;
        EXPECT_EQ(subject.Run(__NR_ioctl, {{3, request | kHigh}}),
            clones.count(request) != 0 ? kAllow : subject.Refusal(EPERM));
      }
  });
}

TEST("signals to init succeed unsent where that is asked for, whatever the high word; others are sent") {
  constexpr uint32_t kSends[] = {
      __NR_kill, __NR_tkill, __NR_tgkill, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo};
  ForEachSubject([&](Subject& subject) {
    const uint32_t ignored = subject.ignoreSignals ? SECCOMP_RET_ERRNO | 0U : kAllow;
    for (const uint32_t number : kSends) {
      for (const uint64_t high : {0ULL, kHigh, 1ULL << 63, 0xffffffff00000000ULL})
        EXPECT_EQ(subject.Run(number, {{1 | high, 1, 9}}), ignored);
      for (const uint64_t pid : {0ULL, 2ULL, 1ULL << 31 | 1, 0xffffffffULL, ~0ULL, ~0ULL - 1})
        EXPECT_EQ(subject.Run(number, {{pid, 1, 9}}), kAllow);
    }
    EXPECT_EQ(subject.Run(__NR_pidfd_send_signal, {{1, 9}}), kAllow);
  });
}

}  // namespace
}  // namespace sbx::test
