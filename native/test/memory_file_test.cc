// Files in memory that programs read: what their readers can do to them, which is nothing.
#include "../common/memory_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common/fd.h"
#include "test.h"

namespace sbx::test {
namespace {

std::string AllOf(const Fd& file) {
  char text[64];
  const ssize_t size = pread(file.get(), text, sizeof(text), 0);
  return std::string(text, size < 0 ? 0 : (size_t)size);
}

TEST("a sealed view is of the whole file, for reading alone, and closes on exec") {
  const Fd file(NewMemoryFile("test"));
  EXPECT_EQ(fcntl(file.get(), F_GETFD), FD_CLOEXEC);
  REQUIRE(WriteAll(file.get(), "content", 7) == 0);
  const Fd view(SealedView(file.get()));
  REQUIRE(view);
  EXPECT_EQ(fcntl(view.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(fcntl(view.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  EXPECT_EQ(lseek(view.get(), 0, SEEK_CUR), 0);
  struct stat status = {};
  EXPECT_EQ(fstat(view.get(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0444u);
  EXPECT(IsSealed(view.get()));
  EXPECT_EQ(AllOf(view), std::string("content"));
}

TEST("nobody changes a sealed file, nor takes its seals off, whoever has it open for writing") {
  const Fd file(NewMemoryFile("test"));
  REQUIRE(WriteAll(file.get(), "content", 7) == 0);
  EXPECT(!IsSealed(file.get()));
  REQUIRE(Seal(file.get()) >= 0);
  EXPECT(IsSealed(file.get()));
  EXPECT_EQ(sys::Call(SYS_pwrite64, file.get(), "x", 1, 0), (long)-EPERM);
  EXPECT_EQ(sys::Call(SYS_ftruncate, file.get(), 3), (long)-EPERM);
  EXPECT_EQ(sys::Call(SYS_ftruncate, file.get(), 70), (long)-EPERM);
  EXPECT_EQ(fcntl(file.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
  EXPECT(mmap(nullptr, 7, PROT_WRITE, MAP_SHARED, file.get(), 0) == MAP_FAILED);
  EXPECT_EQ(AllOf(file), std::string("content"));
}

TEST("a file that lacks any of the seals is not sealed") {
  constexpr int kSeals[] = {F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE};
  for (const int missing : kSeals) {
    const Fd file(NewMemoryFile("test"));
    int seals = 0;
    for (const int seal : kSeals) seals |= seal == missing ? 0 : seal;
    REQUIRE(fcntl(file.get(), F_ADD_SEALS, seals) == 0);
    EXPECT(!IsSealed(file.get()));
  }
  const Fd other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT(!IsSealed(other.get()));
}

TEST("a copy is of all of a file, whose own place stays") {
  const Fd from(NewMemoryFile("from")), to(NewMemoryFile("to"));
  REQUIRE(WriteAll(from.get(), "content", 7) == 0);
  EXPECT_EQ(lseek(from.get(), 3, SEEK_SET), 3);
  EXPECT_EQ(CopyAll(from.get(), to.get()), 7);
  EXPECT_EQ(lseek(from.get(), 0, SEEK_CUR), 3);
  EXPECT_EQ(AllOf(to), std::string("content"));
  EXPECT_EQ(CopyAll(from.get(), -1), (long)-EBADF);
  EXPECT_EQ(WriteAll(-1, "x", 1), -EBADF);
}

}  // namespace
}  // namespace sbx::test
