#include "../helper/landlock.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../helper/launch.h"
#include "folders.h"
#include "messages.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr int kCreateRuleset = 444;
constexpr unsigned kAskVersion = 1, kFirstWithTruncate = 3;

// 0 where the kernel has no Landlock, or one that no domain is made with.
unsigned Abi() {
  const long abi = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return abi < 2 ? 0 : (unsigned)abi;
}

int ErrorOf(long result) { return result < 0 ? errno : 0; }

int OpenError(const std::string& path, int flags) {
  const Fd file(open(path.c_str(), flags | O_CLOEXEC, 0644));
  return file.get() < 0 ? errno : 0;
}

// Every way to change something in a folder that has `there`, a file. How many were refused.
unsigned Refusals(const std::string& folder) {
  const std::string there = folder + "/there", other = folder + "/other";
  const int errors[] = {OpenError(there, O_WRONLY), OpenError(other, O_WRONLY | O_CREAT),
      ErrorOf(mkdir((folder + "/folder").c_str(), 0755)), ErrorOf(mkfifo((folder + "/pipe").c_str(), 0644)),
      ErrorOf(symlink("there", (folder + "/link").c_str())),
      ErrorOf(link(there.c_str(), (folder + "/same").c_str())),
      ErrorOf(rename(there.c_str(), (folder + "/there2").c_str())),
      ErrorOf(unlink((folder + "/gone").c_str())), ErrorOf(rmdir((folder + "/empty").c_str()))};
  unsigned refused = 0;
  for (const int error : errors) refused += error == EACCES || error == EXDEV;
  return refused;
}
constexpr unsigned kWays = 9;

// Not below /tmp, where programs may write.
class Outside {
 public:
  Outside() {
    for (const char* name : {"shown", "work", "private", "open"}) {
      const std::string folder = path(name);
      (void)!mkdir(folder.c_str(), 0755);
      (void)!mkdir((folder + "/empty").c_str(), 0755);
      for (const char* file : {"/there", "/gone"}) (void)OpenError(folder + file, O_WRONLY | O_CREAT);
    }
  }
  ~Outside() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const char* name) const { return std::string(path_) + "/" + name; }

 private:
  char path_[32] = "/var/tmp/sbx-landlock-XXXXXX";
  const char* made_ = mkdtemp(path_);
};

// What `look` returns in a process that has entered the domain of such a sandbox.
template <typename Look>
int InDomain(const Outside& outside, ProcMode proc, const Launch& launch, Look look) {
  Strings strings(0);
  const auto target = [&](const char* name) { return strings.Add(outside.path(name).substr(1)); };
  MountRow rows[3] = {};
  rows[0].kind = MountKind::kBind;
  rows[0].target = target("shown");
  rows[1].kind = MountKind::kTmpfs;
  rows[1].target = target("private");
  rows[2].kind = MountKind::kBind;
  rows[2].flags = kMountWritable;
  rows[2].target = target("open");
  const std::string workDir = outside.path("work");
  Template plan = {};
  plan.landlockAbi = Abi();
  plan.proc = proc;
  plan.workDir = workDir.c_str();
  plan.rows = rows;
  plan.rowCount = 3;
  plan.strings = strings.bytes().data();
  Fd rules;
  if (MakeLandlockRules(plan, rules)) return -1;
  (void)AllowFilesOf(launch, plan, rules.get());
  const pid_t child = fork();
  if (child == 0) {
    const bool entered =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && !EnterLandlockInChild(rules.get(), plan.landlockAbi);
    _exit(entered ? look() : 255);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST("whatever the mounts let through, a domain leaves what is not the sandbox's own to be read alone") {
  if (Abi() == 0) return;
  const Outside outside;
  const StartRecord none = {};
  Launch launch = {};
  launch.record = &none;
  const auto in = [&](auto look) { return InDomain(outside, ProcMode::kMasked, launch, look); };
  EXPECT_EQ(in([&] { return (int)Refusals(outside.path("shown")); }), (int)kWays);
  for (const char* own : {"work", "private", "open"})
    EXPECT_EQ(in([&] { return (int)Refusals(outside.path(own)); }), 0);
  EXPECT_EQ(in([&] { return OpenError(outside.path("shown/there"), O_RDONLY); }), 0);
  EXPECT_EQ(in([&] { return OpenError("/dev/null", O_WRONLY); }), 0);
  EXPECT_EQ(in([&] { return ErrorOf(mkdir("/dev/sbx-test", 0755)); }), EACCES);
  (void)rmdir("/dev/sbx-test");  // a rule that lets it through leaves nothing
  EXPECT_EQ(in([&] { return OpenError("/proc/self/comm", O_WRONLY); }), EACCES);
  if (Abi() >= kFirstWithTruncate)
    EXPECT_EQ(in([&] { return ErrorOf(truncate(outside.path("shown/there").c_str(), 0)); }), EACCES);
}

TEST("where /proc can be written a domain lets it be") {
  if (Abi() == 0) return;
  const Outside outside;
  const StartRecord none = {};
  Launch launch = {};
  launch.record = &none;
  const auto write = [] { return OpenError("/proc/self/comm", O_WRONLY); };
  EXPECT_EQ(InDomain(outside, ProcMode::kWritable, launch, write), 0);
}

TEST("files that a program is given can be opened again for what they are open for") {
  if (Abi() == 0) return;
  const Outside outside;
  StartRecord record = {};
  record.fdCount = 2;
  Launch launch = {};
  launch.record = &record;
  const std::string read = outside.path("shown/there"), written = outside.path("shown/gone");
  launch.fds[0].reset(open(read.c_str(), O_RDONLY | O_CLOEXEC));
  launch.fds[1].reset(open(written.c_str(), O_WRONLY | O_CLOEXEC));
  const auto in = [&](auto look) { return InDomain(outside, ProcMode::kMasked, launch, look); };
  EXPECT_EQ(in([&] { return OpenError(read, O_WRONLY); }), EACCES);
  EXPECT_EQ(in([&] { return OpenError(written, O_WRONLY); }), 0);
  EXPECT_EQ(in([&] { return ErrorOf(unlink(written.c_str())); }), EACCES);
}

}  // namespace
}  // namespace sbx::test
