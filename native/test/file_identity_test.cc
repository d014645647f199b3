#include "../addon/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folders.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr int64_t kOwner = 1'234'567;

long IdInForce(long call) { return RawSyscall(call, -1L); }

TEST("what is made as an owner is the owner's, and the thread is itself again") {
  if (geteuid() != 0) return;
  const Folder folder;
  REQUIRE(chmod(folder.path("").c_str(), 0777) == 0);
  const long made =
      AsOwner(kOwner, [&] { return openat(folder.fd(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644); });
  REQUIRE(made >= 0);
  struct stat status = {};
  REQUIRE(fstat((int)made, &status) == 0);
  close((int)made);
  EXPECT_EQ(status.st_uid, kOwner);
  EXPECT_EQ(status.st_gid, kOwner);
  EXPECT_EQ(IdInForce(SYS_setfsuid), 0);
  EXPECT_EQ(IdInForce(SYS_setfsgid), 0);
}

TEST("with no owner it is made as we are") {
  EXPECT_EQ(AsOwner(-1, [] { return 7; }), 7);
}

// A child, since it gives its rights up; the exit code says which step was not as it should be.
TEST("an id that the kernel does not give makes nothing, and says so") {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setresgid(65'534, 65'534, 65'534) != 0 || setresuid(65'534, 65'534, 65'534) != 0))
      _exit(1);
    const long user = IdInForce(SYS_setfsuid), group = IdInForce(SYS_setfsgid);
    bool called = false;
    const long result = AsOwner(kOwner, [&] { return called = true, 0; });
    if (result != -EPERM) _exit(2);
    if (called) _exit(3);
    _exit(IdInForce(SYS_setfsuid) == user && IdInForce(SYS_setfsgid) == group ? 0 : 4);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

}  // namespace
}  // namespace sbx::test
