#include "kernel.h"

#include <errno.h>
#include <linux/prctl.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <exception>

#include "../common/record.h"
#include "../common/sys.h"
#include "calls.h"
#include "target.h"
#include "world.h"

namespace sbx::fuzz {

World* gWorld = nullptr;

void Readable(const void* data, size_t size) {
  if (size > 0 && __asan_region_is_poisoned(const_cast<void*>(data), size) != nullptr)
    Wrong("a call is given memory that is not its");
}
int OpenOne(Open kind, int from) {
  for (int fd = from; fd < kDescriptors; ++fd)
    if (gWorld->open[fd] == kClosed) return gWorld->listed[fd] = 0, gWorld->open[fd] = kind, fd;
  return -EMFILE;
}
int OpenPair(Open kind, long pair) {
  int* fds = reinterpret_cast<int*>(pair);
  fds[0] = OpenOne(kind);
  fds[1] = OpenOne(kind);
  return 0;
}
bool IsOpen(long fd) { return fd >= 0 && fd < kDescriptors && gWorld->open[fd] != kClosed; }
void CloseOne(long fd) {
  if (std::uncaught_exceptions() > 0) return;  // the process ends
  if (!IsOpen(fd)) Wrong("a descriptor is closed that is not open");
  gWorld->open[fd] = kClosed;
}
// Counted before each message that the helper waits for: without a check at each of a thousand bytes.
__attribute__((optimize("O3"), no_sanitize("address", "undefined"))) int CountOpen() {
  int count = 0;
  for (const Open kind : gWorld->open) count += kind != kClosed;
  return count;
}

void CheckLeaks(int slack) {
  int& rest = gWorld->atRest[(int)gWorld->role];
  if (rest < 0) rest = CountOpen();
  if (CountOpen() > rest + slack) Wrong("descriptors leak");
}

namespace {

// Of one input; loops that wait for a kernel that never answers end here.
constexpr unsigned kCallsMax = 20'000;

void ReadableText(long text) {
  const auto* at = reinterpret_cast<const char*>(text);
  Readable(at, strlen(at));
}
void ReadableList(long list) {
  for (const char* const* at = reinterpret_cast<const char* const*>(list); *at != nullptr; ++at)
    ReadableText((long)*at);
}

long Map(size_t size, int fd) {
  char* at = static_cast<char*>(calloc(1, size));
  if (fd >= 0) memcpy(at, gWorld->plan.data(), size < gWorld->plan.size() ? size : gWorld->plan.size());
  gWorld->mapped[(long)at] = size;
  return (long)at;
}

void Unmap(long at) {
  if (gWorld->mapped.erase(at) > 0) free(reinterpret_cast<void*>(at));
}

long ReadFrom(int fd, char* data, size_t size) {
  World& world = *gWorld;
  const auto give = [&](const std::string& text) {
    const size_t taken = text.size() < size ? text.size() : size;
    memcpy(data, text.data(), taken);
    return (long)taken;
  };
  if (!IsOpen(fd)) return -EBADF;
  switch (world.open[fd]) {
    case kSignals:
      if (!world.signalled) return -EAGAIN;
      world.signalled = false;
      return give(std::string(size, '\1'));
    case kPipeEnd:
      if (size == 1) return give("g");  // the go of a slot
      if (!world.reported) return -EAGAIN;
      world.reported = false;
      return give(world.report);
    default:
      if (!world.noticed) return -EAGAIN;
      world.noticed = false;
      return give(std::string(size, '\1'));
  }
}

// Every folder holds itself and one more, whose name is a number: of a process, or of a task of it. Each that
// is opened says so once, as many at a time as there is room for.
long List(long folder, char* data, size_t room) {
  constexpr const char* kNames[] = {".", "2"};
  constexpr unsigned kCount = sizeof(kNames) / sizeof(kNames[0]);
  if (!IsOpen(folder)) return -EBADF;
  unsigned& listed = gWorld->listed[folder];
  if (listed == kCount) return 0;
  size_t size = 0;
  for (; listed < kCount; ++listed) {
    const sys::FolderEntry entry = {1, 0, 24, sys::kEntryIsFolder};
    if (room - size < entry.size) break;
    memcpy(data + size, &entry, offsetof(sys::FolderEntry, name));
    memcpy(data + size + offsetof(sys::FolderEntry, name), kNames[listed], strlen(kNames[listed]) + 1);
    size += entry.size;
  }
  return size > 0 ? (long)size : -EINVAL;
}

void TakeRole(const char* name) {
  if (strcmp(name, "sbx-keeper") == 0) gWorld->role = Role::kKeeper;
  if (strcmp(name, "sbx-init") == 0) gWorld->role = Role::kInit;
}

// The texts among the arguments of a call.
void CheckTexts(long number, const long* arguments) {
  for (unsigned texts = WhatIs(number) & ~kMakesDescriptor; texts != 0; texts &= texts - 1)
    ReadableText(arguments[__builtin_ctz(texts)]);
  if (number == SYS_execve) ReadableList(arguments[1]), ReadableList(arguments[2]);
  if (number == SYS_sethostname || number == SYS_setdomainname)
    Readable(reinterpret_cast<void*>(arguments[0]), (size_t)arguments[1]);
}

bool CanFail(long number, long first) {
  return number != SYS_exit_group && number != SYS_exit &&
         !(number == SYS_clock_gettime && first == CLOCK_MONOTONIC);
}

long AnswerProcesses(long number, const long* a) {
  switch (number) {
    case SYS_clone3: return Clone(reinterpret_cast<const struct clone_args*>(a[0])->flags, true);
#ifdef SYS_vfork
    case SYS_vfork:
#endif
    case SYS_clone: return Clone(0, false);
    case SYS_waitid: return WaitFor(a[0], a[1], reinterpret_cast<siginfo_t*>(a[2]), a[3]);
    case SYS_kill: return Signal(a[0], a[1]);
    case SYS_clock_gettime: {
      gWorld->now += 1000;
      *reinterpret_cast<struct timespec*>(a[1]) = {gWorld->now / 1'000'000'000, gWorld->now % 1'000'000'000};
      return 0;
    }
    case SYS_clock_nanosleep: {
      const auto& time = *reinterpret_cast<const struct timespec*>(a[2]);
      gWorld->now += time.tv_sec * 1'000'000'000 + time.tv_nsec;
      return 0;
    }
    case SYS_sched_getaffinity: *reinterpret_cast<uint64_t*>(a[2]) = 0b1010; return 8;
    case SYS_sched_setaffinity: Readable(reinterpret_cast<void*>(a[2]), (size_t)a[1]); return 0;
    case SYS_getdents64: return List(a[0], reinterpret_cast<char*>(a[1]), (size_t)a[2]);
    case SYS_prctl: return a[0] == PR_CAPBSET_DROP && a[1] > 40 ? -EINVAL : 0;
    case SYS_execve: gWorld->sharing.executed = true; throw Ended();
    case SYS_exit_group:
    case SYS_exit: throw Ended();
    default: return 0;
  }
}

long Answer(long number, const long* a) {
  World& world = *gWorld;
  CheckTexts(number, a);
  if ((WhatIs(number) & kMakesDescriptor) != 0) return OpenOne(kPlain);
  switch (number) {
    case SYS_close: return CloseOne(a[0]), 0;
    case SYS_read: return ReadFrom((int)a[0], reinterpret_cast<char*>(a[1]), (size_t)a[2]);
    case SYS_write:
      Readable(reinterpret_cast<void*>(a[1]), (size_t)a[2]);
      return IsOpen(a[0]) ? a[2] : -EBADF;
    case SYS_pread64: {
      if (!IsOpen(a[0])) return -EBADF;
      const size_t taken = world.text.size() < (size_t)a[2] ? world.text.size() : (size_t)a[2];
      memcpy(reinterpret_cast<void*>(a[1]), world.text.data(), taken);
      return (long)taken;
    }
    case SYS_recvmsg:
      // The counters, the group's folder, and the list of sockets, if it could not be opened at first.
      if (world.role == Role::kKeeper) CheckLeaks(kCounterCount + 2);
      if (IsOpen(a[0]) && world.open[a[0]] == kOwnPair)
        return ReceiveOne(reinterpret_cast<struct msghdr*>(a[1]));
      return ReceiveMessage(reinterpret_cast<struct msghdr*>(a[1]));
    case SYS_sendmsg:
      if (IsOpen(a[0]) && world.open[a[0]] == kOwnPair) return 1;
      return SendMessage(reinterpret_cast<const struct msghdr*>(a[1]));
    case SYS_ppoll: return Poll(reinterpret_cast<struct pollfd*>(a[0]), a[1], a[2] == 0);
    case SYS_fcntl:
      return a[1] == F_DUPFD_CLOEXEC ? (IsOpen(a[0]) ? OpenOne(world.open[a[0]], (int)a[2]) : -EBADF) : 0;
    case SYS_dup3: return IsOpen(a[0]) && a[1] < kDescriptors ? (world.open[a[1]] = kPlain, a[1]) : -EBADF;
    case SYS_close_range:
      if ((a[2] & CLOSE_RANGE_UNSHARE) != 0) TakeDescriptorsApart();
      for (long fd = a[0]; a[2] == 0 && fd <= a[1] && fd < kDescriptors; ++fd) world.open[fd] = kClosed;
      return 0;
    case SYS_getcwd: return WhereWeAre(reinterpret_cast<char*>(a[0]), (size_t)a[1]);
    case SYS_statx: return LookAtPlace((unsigned)a[3], reinterpret_cast<struct statx*>(a[4]));
    case SYS_timerfd_create: return OpenOne(kTimer);
    case SYS_signalfd4: return OpenOne(kSignals);
    case SYS_pipe2: return OpenPair(kPipeEnd, a[0]);
    case SYS_socket: return OpenOne(kPlain);
    case SYS_socketpair: return OpenPair(a[1] == (SOCK_STREAM | SOCK_CLOEXEC) ? kPipeEnd : kOwnPair, a[3]);
    case SYS_ioctl: return a[1] == 0x5441 /* TIOCGPTPEER */ ? OpenOne(kPlain) : 0;
    case SYS_fstat: {
      auto& status = *reinterpret_cast<struct stat*>(a[1]);
      status.st_size = (long)world.plan.size();
      status.st_mode = S_IFCHR;
      return 0;
    }
    case SYS_mmap: return Map((size_t)a[1], (int)a[4]);
    case SYS_munmap: return Unmap(a[0]), 0;
    default: return AnswerProcesses(number, a);
  }
}

}  // namespace

void StartKernel(const std::string& input, int socket) {
  gWorld = new World;
  for (Event& event : Parse(input)) {
    if (event.kind == kFault)
      gWorld->faults[First<uint16_t>(event.payload)] = First<uint8_t>(event.payload, 2);
    else if (event.kind == kFork) gWorld->forks.push_back(First<uint8_t>(event.payload) % 2 == 1);
    else gWorld->timeline.push_back(std::move(event));
  }
  for (int fd = 0; fd <= socket; ++fd) gWorld->open[fd] = kPlain;
}

void TakeText() {
  while (Advance()) continue;
}

void StopKernel() {
  while (!gWorld->mapped.empty()) Unmap(gWorld->mapped.begin()->first);
  delete gWorld;
  gWorld = nullptr;
}

}  // namespace sbx::fuzz

namespace sbx {

namespace {

// The error number with which the next call is to fail, or 0.
int NextFault() {
  const unsigned ordinal = fuzz::gWorld->calls++;
  if (ordinal >= fuzz::kCallsMax) throw fuzz::Ended();
  const auto fault = fuzz::gWorld->faults.find(ordinal);
  return fault != fuzz::gWorld->faults.end() && fault->second > 0 ? fault->second : 0;
}

}  // namespace

long RawSyscall(long number, long a, long b, long c, long d, long e, long f) {
  using namespace fuzz;
  const long arguments[] = {a, b, c, d, e, f};
  if (number == SYS_close) return Answer(number, arguments);
  if (number == SYS_prctl && a == PR_SET_NAME) TakeRole(reinterpret_cast<const char*>(b));
  if (const int fault = NextFault(); fault != 0 && CanFail(number, a)) return -fault;
  return Answer(number, arguments);
}

long RawClone(long, char*, int* running, void (*run)(void*), void* argument) {
  if (const int fault = NextFault()) return -fault;
  return fuzz::CloneSharing(running, run, argument);
}

}  // namespace sbx
