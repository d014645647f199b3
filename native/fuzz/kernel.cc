#include "kernel.h"

#include <errno.h>
#include <linux/prctl.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <deque>
#include <exception>
#include <map>

#include "../common/record.h"
#include "../common/sys.h"
#include "events.h"
#include "target.h"

namespace sbx::fuzz {
namespace {

constexpr unsigned kCallsMax = 20'000;  // of one input; loops that wait for a kernel that never answers end here
constexpr int kDescriptors = 1024;
constexpr int kFirstPid = 2;
constexpr int kBySignal = 128;  // statuses from here on: the number of a signal

enum Open : uint8_t { kClosed, kPlain, kSignals, kPipeEnd };
enum class Role { kZygote, kKeeper, kInit };

struct World {
  Events timeline;
  size_t at = 0;
  std::map<unsigned, int> faults;
  std::deque<bool> forks;
  unsigned calls = 0;
  Open open[kDescriptors] = {};
  int atRest[3] = {-1, -1, -1};  // descriptors of each role when it first waited with nothing to look after
  Role role = Role::kZygote;
  int nextPid = kFirstPid;
  std::map<int, int> alive, dead;  // pid → status, for those who have ended
  std::string text = "0\n", report, plan;
  bool signalled = false, reported = false, noticed = false;
  int64_t now = 1'000'000'000;
  std::map<long, size_t> mapped;
};
World* gWorld = nullptr;

void Readable(const void* data, size_t size) {
  if (size > 0 && __asan_region_is_poisoned(const_cast<void*>(data), size) != nullptr) Wrong("a call is given memory that is not its");
}
void ReadableText(long text) {
  const auto* at = reinterpret_cast<const char*>(text);
  Readable(at, strlen(at));
}
void ReadableList(long list) {
  for (const char* const* at = reinterpret_cast<const char* const*>(list); *at != nullptr; ++at) ReadableText((long)*at);
}

// ---- descriptors ----

int OpenOne(Open kind, int from = 0) {
  for (int fd = from; fd < kDescriptors; ++fd)
    if (gWorld->open[fd] == kClosed) return gWorld->open[fd] = kind, fd;
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
int CountOpen() {
  int count = 0;
  for (const Open kind : gWorld->open) count += kind != kClosed;
  return count;
}

// With nobody to look after, a role holds what it held when it began to wait.
void CheckLeaks(int slack) {
  int& rest = gWorld->atRest[(int)gWorld->role];
  if (rest < 0) rest = CountOpen();
  if (CountOpen() > rest + slack) Wrong("descriptors leak");
}

// ---- events ----

// Makes the next event happen. False when there is none left, or it is a message: the caller's to receive.
bool Advance() {
  World& world = *gWorld;
  if (world.at >= world.timeline.size() || world.timeline[world.at].kind == kMessage) return false;
  const Event& event = world.timeline[world.at++];
  switch (event.kind) {
    case kExit: {
      const uint8_t which = First<uint8_t>(event.payload), status = First<uint8_t>(event.payload, 1);
      auto child = world.alive.begin();
      for (unsigned i = 0; i < which && child != world.alive.end(); ++i) ++child;
      if (child != world.alive.end()) {
        world.dead[child->first] = status;
        world.alive.erase(child);
      } else world.dead[world.nextPid++] = status;  // an orphan
      world.signalled = true;
      break;
    }
    case kText:
      world.text = event.payload;
      break;
    case kClock:
      world.now += (int64_t)(First<uint64_t>(event.payload) >> 16);  // never beyond all time, however many of these
      break;
    case kPipe:
      world.report = event.payload;
      world.reported = true;
      break;
    case kPlan:
      world.plan = event.payload;
      break;
    case kNotice:
      world.noticed = true;
      break;
    default:  // faults and forks are taken from the list before anything runs
      break;
  }
  return true;
}

long ReceiveMessage(struct msghdr* message) {
  World& world = *gWorld;
  while (Advance()) continue;
  struct iovec& part = message->msg_iov[0];
  ASAN_UNPOISON_MEMORY_REGION(part.iov_base, part.iov_len);
  message->msg_flags = 0;
  const size_t room = message->msg_controllen;
  message->msg_controllen = 0;
  if (world.at >= world.timeline.size()) return 0;
  const std::string& payload = world.timeline[world.at++].payload;
  const size_t size = payload.empty() ? 0 : payload.size() - 1;
  const size_t taken = size < part.iov_len ? size : part.iov_len;
  if (taken < size) message->msg_flags |= MSG_TRUNC;
  if (taken > 0) memcpy(part.iov_base, payload.data() + 1, taken);
  // What is left there of the message before is not to be read.
  ASAN_POISON_MEMORY_REGION(static_cast<char*>(part.iov_base) + (taken + 7) / 8 * 8, part.iov_len - (taken + 7) / 8 * 8);
  unsigned count = First<uint8_t>(payload);
  if (count > kDescriptorsMax) {
    count = kDescriptorsMax;
    message->msg_flags |= MSG_CTRUNC;
  }
  if (count == 0) return (long)taken;
  if (CMSG_SPACE(sizeof(int) * count) > room) Wrong("no room for the descriptors of a message");
  auto* header = static_cast<struct cmsghdr*>(message->msg_control);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  unsigned passed = 0;
  for (; passed < count; ++passed) {
    const int fd = OpenOne(kPlain);
    if (fd < 0) break;
    memcpy(CMSG_DATA(header) + passed * sizeof(int), &fd, sizeof(fd));
  }
  header->cmsg_len = CMSG_LEN(sizeof(int) * passed);
  message->msg_controllen = CMSG_SPACE(sizeof(int) * passed);
  return (long)taken;
}

// Only whole records of their kind go up, beside descriptors that are open.
long SendMessage(const struct msghdr* message) {
  const struct iovec& part = message->msg_iov[0];
  Readable(part.iov_base, part.iov_len);
  const Kind kind = static_cast<const Head*>(part.iov_base)->kind;
  const size_t wanted = kind == Kind::kReady ? sizeof(ReadyRecord) : kind == Kind::kFailed ? sizeof(FailedRecord) : kind == Kind::kStarted ? sizeof(StartedRecord) : kind == Kind::kEnded ? sizeof(EndedRecord) : 0;
  if (part.iov_len != wanted) Wrong("a report that is none");
  if (message->msg_controllen == 0) return (long)part.iov_len;
  const auto* header = static_cast<const struct cmsghdr*>(message->msg_control);
  for (size_t at = 0; at < header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
    int fd;
    memcpy(&fd, CMSG_DATA(header) + at, sizeof(fd));
    if (!IsOpen(fd)) Wrong("a descriptor is sent that is not open");
  }
  return (long)part.iov_len;
}

long Wait(struct pollfd* fds, long count, bool forever) {
  World& world = *gWorld;
  if (world.alive.empty() && world.dead.empty() && !world.signalled) CheckLeaks(0);
  const bool happened = Advance();
  long ready = 0;
  for (long i = 0; i < count; ++i) {
    fds[i].revents = 0;
    if (!IsOpen(fds[i].fd)) Wrong("a descriptor is polled that is not open");
    const Open kind = world.open[fds[i].fd];
    if (i == 0 ? !happened : kind == kSignals ? world.signalled : kind == kPipeEnd ? world.reported : world.noticed) fds[i].revents = POLLIN;
    ready += fds[i].revents != 0;
  }
  if (ready == 0 && !forever) world.now += 1'000'000;
  return ready;
}

// ---- children ----

long Clone(uint64_t flags, bool isHelper) {
  World& world = *gWorld;
  // Helpers are followed into their clones, programs are not; the probe for /proc comes back.
  const bool probe = (flags & CLONE_NEWUSER) != 0 && (flags & CLONE_NEWPID) != 0;
  bool intoChild = isHelper && !probe;
  if (!world.forks.empty()) {
    if (world.forks.front()) intoChild = !intoChild;
    world.forks.pop_front();
  }
  if (intoChild) {
    world.alive.clear();
    world.dead.clear();
    return 0;
  }
  world.alive[world.nextPid] = 0;
  return world.nextPid++;
}

long WaitFor(long type, long id, siginfo_t* info, long options) {
  World& world = *gWorld;
  const auto wanted = [&](int pid) { return type == P_ALL || pid == id; };
  if ((options & WNOHANG) == 0)
    for (auto& [pid, status] : world.alive)
      if (wanted(pid)) world.dead[pid] = kBySignal + SIGKILL;
  for (auto& [pid, status] : world.dead) {
    world.alive.erase(pid);
    if (!wanted(pid)) continue;
    info->si_pid = pid;
    info->si_code = status < kBySignal ? CLD_EXITED : CLD_KILLED;
    info->si_status = status % kBySignal;
    world.dead.erase(pid);
    return 0;
  }
  for (auto& [pid, status] : world.alive)
    if (wanted(pid)) return 0;
  return -ECHILD;
}

long Signal(long pid, long signal) {
  World& world = *gWorld;
  if (signal < 0 || signal > 64) return -EINVAL;
  if (pid < -1) pid = -pid;
  long found = 0;
  for (auto child = world.alive.begin(); child != world.alive.end();) {
    const bool hit = pid == -1 || child->first == pid;
    found += hit;
    if (hit && signal == SIGKILL) {
      world.dead[child->first] = kBySignal + SIGKILL;
      world.signalled = true;
      child = world.alive.erase(child);
    } else ++child;
  }
  return found > 0 || world.dead.contains((int)pid) ? 0 : -ESRCH;
}

// ---- memory and files ----

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

void TakeRole(const char* name) {
  if (strcmp(name, "sbx-keeper") == 0) gWorld->role = Role::kKeeper;
  if (strcmp(name, "sbx-init") == 0) gWorld->role = Role::kInit;
}

// Calls that make a descriptor of no special kind.
bool Opens(long number) {
  for (const int one : {SYS_openat, SYS_openat2, SYS_fsopen, SYS_fsmount, SYS_open_tree, SYS_socket, 444 /* landlock_create_ruleset */})
    if (number == one) return true;
  return false;
}

// The texts among the arguments of a call.
void CheckTexts(long number, const long* arguments) {
  static const std::map<long, std::vector<int>> kTexts = {
      {SYS_openat, {1}},    {SYS_openat2, {1}}, {SYS_execve, {0}},     {SYS_mkdirat, {1}},    {SYS_mknodat, {1}},    {SYS_symlinkat, {0, 2}}, {SYS_unlinkat, {1}}, {SYS_fchmodat, {1}},
      {SYS_open_tree, {1}}, {SYS_fsopen, {0}},  {SYS_move_mount, {1, 3}}, {SYS_chdir, {0}}, {SYS_faccessat, {1}}, {SYS_newfstatat, {1}},
  };
  const auto row = kTexts.find(number);
  if (row != kTexts.end())
    for (const int argument : row->second) ReadableText(arguments[argument]);
  if (number == SYS_execve) ReadableList(arguments[1]), ReadableList(arguments[2]);
  if (number == SYS_sethostname || number == SYS_setdomainname) Readable(reinterpret_cast<void*>(arguments[0]), (size_t)arguments[1]);
}

bool CanFail(long number, long first) { return number != SYS_exit_group && number != SYS_exit && !(number == SYS_clock_gettime && first == CLOCK_MONOTONIC); }

long Answer(long number, const long* a) {
  World& world = *gWorld;
  CheckTexts(number, a);
  if (Opens(number)) return OpenOne(kPlain);
  switch (number) {
    case SYS_close:
      return CloseOne(a[0]), 0;
    case SYS_read:
      return ReadFrom((int)a[0], reinterpret_cast<char*>(a[1]), (size_t)a[2]);
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
      if (world.role == Role::kKeeper) CheckLeaks(kCounterCount + 1);
      return ReceiveMessage(reinterpret_cast<struct msghdr*>(a[1]));
    case SYS_sendmsg:
      return SendMessage(reinterpret_cast<const struct msghdr*>(a[1]));
    case SYS_ppoll:
      return Wait(reinterpret_cast<struct pollfd*>(a[0]), a[1], a[2] == 0);
    case SYS_fcntl:
      return a[1] == F_DUPFD_CLOEXEC ? (IsOpen(a[0]) ? OpenOne(world.open[a[0]], (int)a[2]) : -EBADF) : 0;
    case SYS_dup3:
      return IsOpen(a[0]) && a[1] < kDescriptors ? (world.open[a[1]] = kPlain, a[1]) : -EBADF;
    case SYS_signalfd4:
      return OpenOne(kSignals);
    case SYS_pipe2:
      return OpenPair(kPipeEnd, a[0]);
    case SYS_socketpair:
      return OpenPair(a[1] == (SOCK_STREAM | SOCK_CLOEXEC) ? kPipeEnd : kPlain, a[3]);
    case SYS_ioctl:
      return a[1] == 0x5441 /* TIOCGPTPEER */ ? OpenOne(kPlain) : 0;
    case SYS_clone3:
      return Clone(reinterpret_cast<const struct clone_args*>(a[0])->flags, true);
#ifdef SYS_vfork
    case SYS_vfork:
#endif
    case SYS_clone:
      return Clone(0, false);
    case SYS_waitid:
      return WaitFor(a[0], a[1], reinterpret_cast<siginfo_t*>(a[2]), a[3]);
    case SYS_kill:
      return Signal(a[0], a[1]);
    case SYS_clock_gettime: {
      world.now += 1000;
      *reinterpret_cast<struct timespec*>(a[1]) = {world.now / 1'000'000'000, world.now % 1'000'000'000};
      return 0;
    }
    case SYS_clock_nanosleep: {
      const auto& time = *reinterpret_cast<const struct timespec*>(a[2]);
      world.now += time.tv_sec * 1'000'000'000 + time.tv_nsec;
      return 0;
    }
    case SYS_fstat: {
      auto& status = *reinterpret_cast<struct stat*>(a[1]);
      status.st_size = (long)world.plan.size();
      status.st_mode = S_IFCHR;
      return 0;
    }
    case SYS_mmap:
      return Map((size_t)a[1], (int)a[4]);
    case SYS_munmap:
      return Unmap(a[0]), 0;
    case SYS_prctl:
      return a[0] == PR_CAPBSET_DROP && a[1] > 40 ? -EINVAL : 0;
    case SYS_exit_group:
    case SYS_exit:
    case SYS_execve:
      throw Ended();
    default:
      return 0;
  }
}

}  // namespace

void StartKernel(const std::string& input, int socket) {
  gWorld = new World;
  for (Event& event : Parse(input)) {
    if (event.kind == kFault) gWorld->faults[First<uint16_t>(event.payload)] = First<uint8_t>(event.payload, 2);
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

long RawSyscall(long number, long a, long b, long c, long d, long e, long f) {
  using namespace fuzz;
  const long arguments[] = {a, b, c, d, e, f};
  if (number == SYS_close) return Answer(number, arguments);
  if (number == SYS_prctl && a == PR_SET_NAME) TakeRole(reinterpret_cast<const char*>(b));
  const unsigned ordinal = gWorld->calls++;
  if (ordinal >= kCallsMax) throw Ended();
  const auto fault = gWorld->faults.find(ordinal);
  if (fault != gWorld->faults.end() && fault->second > 0 && CanFail(number, a)) return -fault->second;
  return Answer(number, arguments);
}

}  // namespace sbx
