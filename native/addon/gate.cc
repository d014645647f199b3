#include "gate.h"

#include <errno.h>
#include <linux/fanotify.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "../common/memory_file.h"
#include "decode.h"
#include "file_identity.h"

namespace sbx {
namespace {

// The kernel waits some milliseconds for its readers when a group goes; the loop must not.
class CloseWork : public Napi::AsyncWorker {
 public:
  CloseWork(Napi::Env env, Fd fd) : Napi::AsyncWorker(env), fd_(static_cast<Fd&&>(fd)) {}

 protected:
  void Execute() override { fd_.reset(); }

 private:
  Fd fd_;
};

// Keeps a task that is about to be woken off our CPU: woken there it would take it from us, though others are
// idle and we have a program's streams to take up. As it was when this goes, before the task can look.
class Elsewhere {
 public:
  explicit Elsewhere(int task) : task_(task) {
    unsigned cpu = 0;
    bytes_ = sys::Call(SYS_sched_getaffinity, task, sizeof(mask_), mask_);
    if (bytes_ <= 0 || sys::Call(SYS_getcpu, &cpu, nullptr, nullptr) < 0) return;
    const unsigned long bit = 1UL << cpu % kBits;
    unsigned long& word = mask_[cpu / kBits];
    if ((word & bit) == 0) return;
    word &= ~bit;
    moved_ = sys::Call(SYS_sched_setaffinity, task, bytes_, mask_) == 0;  // refused where it is the only one
    word |= bit;
  }
  ~Elsewhere() {
    // Fails only when the task is gone.
    if (moved_) (void)!sys::Call(SYS_sched_setaffinity, task_, bytes_, mask_);
  }
  Elsewhere(const Elsewhere&) = delete;

 private:
  static constexpr unsigned kBits = 8 * sizeof(unsigned long);
  int task_;
  long bytes_ = 0;
  bool moved_ = false;
  unsigned long mask_[8192 / kBits] = {};  // the most CPUs that kernels are built for
};

int MakeFile(int dir, const std::string& path, int64_t owner) {
  struct open_how how = {};
  how.flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  how.mode = 0644;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  return (int)AsOwner(owner, [&] { return sys::Open2(dir, path.c_str(), &how); });
}

}  // namespace

Napi::Function Gate::Define(Napi::Env env) {
  return DefineClass(env, "Gate",
      {InstanceMethod<&Gate::Hold>("hold"), InstanceMethod<&Gate::Open>("open"),
          InstanceMethod<&Gate::Drop>("drop"), InstanceMethod<&Gate::Close>("close")});
}

Gate::Gate(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Gate>(info), reactor_(Reactor::Of(info.Env())) {
  onOpened_ = Napi::Persistent(info[0].As<Napi::Function>());
}

Gate::~Gate() {
  while (!held_.empty()) Forget(held_.begin());
  for (const auto& group : groups_)
    if (group->events) reactor_->Remove(group->events.get(), group.get());
}

int Gate::Group::Open() {
  events.reset((int)sys::Call(SYS_fanotify_init,
      FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_TID, O_RDONLY | O_CLOEXEC));
  return events ? gate_.reactor_->Add(events.get(), EPOLLIN, this) : events.release();
}

int Gate::Group::Mark(unsigned action, int file) {
  return (int)sys::Call(SYS_fanotify_mark, events.get(), action, FAN_OPEN_PERM, file, 0);
}

// Taking a mark away has the kernel wait for its readers, on the CPUs of the program that goes on. One that
// is told to look away goes with its file.
void Gate::Group::LookAway(int file) {
  if (Mark(FAN_MARK_ADD | FAN_MARK_IGNORED_MASK | FAN_MARK_IGNORED_SURV_MODIFY, file) < 0)
    (void)!Mark(FAN_MARK_REMOVE, file);
}

// The one with the fewest files; one more while each has some. The kernel lets a user have 128 groups by
// default.
int Gate::PickGroup(Group*& picked) {
  constexpr size_t kGroupsMax = 16;
  picked = nullptr;
  for (const auto& group : groups_)
    if (picked == nullptr || group->fileCount < picked->fileCount) picked = group.get();
  if (picked != nullptr && (picked->fileCount == 0 || groups_.size() >= kGroupsMax)) return 0;
  auto group = std::make_unique<Group>(*this);
  if (const int opened = group->Open(); opened < 0) return picked == nullptr ? opened : 0;
  picked = group.get();
  groups_.push_back(std::move(group));
  if (groups_.size() == 1) Ref();  // lives until closed, whatever JavaScript still holds
  return 0;
}

Napi::Value Gate::Hold(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const int dir = args.Int("dir");
  const std::string path = args.Text("path");
  const auto owner = (int64_t)args.Number("owner");
  if (args.failed()) return {};
  const auto result = [&](long value) { return Napi::Number::New(info.Env(), (double)value); };
  Group* group;
  if (const int picked = PickGroup(group); picked < 0) return result(picked);
  Fd file(MakeFile(dir, path, owner));
  if (!file) return result(file.release());
  (void)!RawSyscall(SYS_fchmod, file.get(), 0644);  // the process's umask has had its say; it is our own file
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, file.get(), &status); got < 0) return result(got);
  if (const int marked = group->Mark(FAN_MARK_ADD, file.get()); marked < 0) return result(marked);
  ++group->fileCount;
  const int id = file.get();
  held_.emplace(id, Held{static_cast<Fd&&>(file), status.st_dev, status.st_ino, group, {}});
  return result(id);
}

void Gate::Group::OnEvents(unsigned) {
  Napi::HandleScope scope(gate_.Env());
  alignas(8) char buffer[4096];
  const long size = sys::Read(events.get(), buffer, sizeof(buffer));
  long at = 0;
  while (at + (long)sizeof(fanotify_event_metadata) <= size && events) {
    const auto& event = *reinterpret_cast<const fanotify_event_metadata*>(buffer + at);
    if (event.event_len < sizeof(event)) return;
    at += event.event_len;
    if (event.fd >= 0) gate_.TakeEvent(*this, {event.fd, event.pid});
  }
}

// The first opening of a held file is news; later ones (other threads) wait with it.
void Gate::TakeEvent(Group& group, Opening opening) {
  struct stat status = {};
  (void)!sys::Call(SYS_fstat, opening.fd, &status);  // cannot fail on an open file; zeros are nobody's
  for (auto& [id, held] : held_) {
    if (held.device != status.st_dev || held.inode != status.st_ino) continue;
    held.openings.push_back(opening);
    if (held.openings.size() == 1) reactor_->Call(onOpened_, {Napi::Number::New(Env(), id)});
    return;
  }
  Held stray = {};  // its mark went while it came
  stray.group = &group;
  stray.openings.push_back(opening);
  (void)Answer(stray);
}

// 0 when somebody waited for it.
int Gate::Answer(Held& held) {
  int answered = -ENOENT;
  for (const Opening& opening : held.openings) {
    const struct fanotify_response response = {opening.fd, FAN_ALLOW};
    const long written = sys::Write(held.group->events.get(), &response, sizeof(response));
    if (written > 0) answered = 0;
    sys::Close(opening.fd);
  }
  held.openings.clear();
  return answered;
}

void Gate::Forget(std::map<int, Held>::iterator held) {
  // Fails only when it is gone already.
  (void)!held->second.group->Mark(FAN_MARK_REMOVE, held->second.file.get());
  held->second.file.reset();
  --held->second.group->fileCount;
  (void)Answer(held->second);
  held_.erase(held);
}

Napi::Value Gate::Open(const Napi::CallbackInfo& info) {
  Args args(info.Env(), info[0]);
  const auto held = held_.find(args.Int("id"));
  const Napi::Value value = args.Get("bytes");
  if (args.failed() || !value.IsTypedArray()) return {};
  const auto result = [&](long number) { return Napi::Number::New(info.Env(), (double)number); };
  if (held == held_.end()) return result(-EBADF);
  const std::string_view bytes = BytesOf(value);
  if (const int written = WriteAll(held->first, bytes.data(), bytes.size()); written < 0)
    return result(written);
  held->second.group->LookAway(held->first);
  held->second.file.reset();
  --held->second.group->fileCount;
  int answered = -ENOENT;
  if (!held->second.openings.empty()) {
    const Elsewhere elsewhere(held->second.openings.front().task);
    answered = Answer(held->second);
  }
  held_.erase(held);
  return result(answered);
}

Napi::Value Gate::Drop(const Napi::CallbackInfo& info) {
  if (const auto held = held_.find(info[0].As<Napi::Number>().Int32Value()); held != held_.end())
    Forget(held);
  return info.Env().Undefined();
}

Napi::Value Gate::Close(const Napi::CallbackInfo& info) {
  while (!held_.empty()) Forget(held_.begin());
  if (groups_.empty() || onOpened_.IsEmpty()) return info.Env().Undefined();
  // They stay: this may be called from an event of one. And a worker deletes itself, which the analyser does
  // not see.
  for (const auto& group : groups_) {  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)
    reactor_->Remove(group->events.get(), group.get());
    (new CloseWork(info.Env(), static_cast<Fd&&>(group->events)))->Queue();
  }
  onOpened_.Reset();
  Unref();
  return info.Env().Undefined();
}

}  // namespace sbx
