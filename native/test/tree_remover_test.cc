#include "../addon/tree_remover.h"

#include <errno.h>

#include "folders.h"
#include "test.h"

namespace sbx::test {
namespace {

int RemoveIn(const Folder& folder, const std::string& name) {
  return TreeRemover(fcntl(folder.fd(), F_DUPFD_CLOEXEC, 0), -1).Run(name);
}

// A chain of folders below `name`, made as a hostile program would: by going down, since no path is long
// enough.
bool MakeChain(const Folder& folder, const std::string& name, int depth, const std::string& each) {
  if (!folder.Make(name)) return false;
  Fd at(openat(folder.fd(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < depth; ++i) {
    if (mkdirat(at.get(), each.c_str(), 0755) != 0) return false;
    Fd(openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)).reset();
    at.reset(openat(at.get(), each.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  return (bool)at;
}

TEST("a file, an empty folder and a link are removed by name") {
  const Folder folder;
  REQUIRE(folder.Write("file") && folder.Make("empty") && symlink("file", folder.path("link").c_str()) == 0);
  for (const char* name : {"link", "empty", "file"}) EXPECT_EQ(RemoveIn(folder, name), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("what is not there is ENOENT") {
  const Folder folder;
  EXPECT_EQ(RemoveIn(folder, "nothing"), -ENOENT);
}

TEST("a tree 5,000 folders deep goes, with three descriptors") {
  const Folder folder;
  REQUIRE(MakeChain(folder, "tree", 5000, "d"));
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("names of 255 bytes add up past any path and go") {
  const Folder folder;
  REQUIRE(MakeChain(folder, std::string(255, 't'), 400, std::string(255, 'n')));
  EXPECT_EQ(RemoveIn(folder, std::string(255, 't')), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("names of any bytes go") {
  const Folder folder;
  REQUIRE(folder.Make("tree"));
  for (const char* name :
      {"tree/...", "tree/..x", "tree/.hidden", "tree/ ", "tree/\n", "tree/\xff\xfe", "tree/-rf"})
    REQUIRE(folder.Make(name) && folder.Make(std::string(name) + "/x"));
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("a wide tree goes, though the listing takes many readings") {
  const Folder folder;
  REQUIRE(folder.Make("tree"));
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "tree/entry-with-a-longer-name-" + std::to_string(i);
    REQUIRE(i % 3 == 0 ? folder.Make(name) && folder.Make(name + "/x") : folder.Write(name));
  }
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("links are removed, never followed") {
  const Folder folder;
  REQUIRE(folder.Make("outside") && folder.Write("outside/kept") && folder.Make("tree") &&
          folder.Make("tree/inner"));
  for (const char* link : {"tree/link", "tree/inner/link"})
    REQUIRE(symlink(folder.path("outside").c_str(), folder.path(link).c_str()) == 0);
  REQUIRE(symlink("/", folder.path("tree/root").c_str()) == 0);
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT(!folder.Has("tree"));
  EXPECT(folder.Has("outside/kept"));
}

TEST("the name itself may be a link to a folder, which stays") {
  const Folder folder;
  REQUIRE(folder.Make("outside") && folder.Write("outside/kept") &&
          symlink("outside", folder.path("link").c_str()) == 0);
  EXPECT_EQ(RemoveIn(folder, "link"), 0);
  EXPECT(folder.Has("outside/kept"));
}

// Root passes any mode; for others this would be the error of the call.
TEST("folders that their owner may not read go all the same") {
  if (geteuid() != 0) return;
  const Folder folder;
  REQUIRE(folder.Make("tree") && folder.Make("tree/inner") && folder.Write("tree/inner/file"));
  REQUIRE(chmod(folder.path("tree/inner").c_str(), 0) == 0 && chmod(folder.path("tree").c_str(), 0) == 0);
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("pipes, sockets and devices are names like others") {
  const Folder folder;
  REQUIRE(folder.Make("tree") && mkfifo(folder.path("tree/fifo").c_str(), 0600) == 0);
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 0u);
}

// Programs that go on making files keep it from its end; no time at all does the same.
TEST("when its time is over it ends, and what is left is in the folder still") {
  const Folder folder;
  REQUIRE(folder.Make("tree") && folder.Make("tree/a") && folder.Make("tree/a/b") && folder.Make("empty"));
  constexpr RemovalTime kNone = {std::chrono::microseconds(0), std::chrono::microseconds(0)};
  EXPECT_EQ(TreeRemover(fcntl(folder.fd(), F_DUPFD_CLOEXEC, 0), -1, kNone).Run("tree"), -ENOTEMPTY);
  EXPECT(folder.Has("tree/a/b"));
  EXPECT_EQ(folder.Count(), 2u);
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT_EQ(folder.Count(), 1u);
}

// A hostile program knows the names under which folders are moved up.
TEST("folders that already have the names it uses are in nobody's way") {
  const Folder folder;
  REQUIRE(
      folder.Make(".sbx-removed-0") && folder.Write(".sbx-removed-0/kept") && folder.Write(".sbx-removed-1"));
  REQUIRE(folder.Make("tree") && folder.Make("tree/a") && folder.Make("tree/a/b") && folder.Make("tree/c") &&
          folder.Make("tree/c/d"));
  EXPECT_EQ(RemoveIn(folder, "tree"), 0);
  EXPECT(!folder.Has("tree"));
  EXPECT(folder.Has(".sbx-removed-0/kept"));
  EXPECT(folder.Has(".sbx-removed-1"));
}

}  // namespace
}  // namespace sbx::test
