// On plain folders: rmdir is the same call, only the kernel's files are missing.
#include "../helper/cgroup_tree.h"

#include "folders.h"
#include "test.h"

namespace sbx::test {
namespace {

TEST("a group and its groups go, to the depth of ours") {
  const Folder folder;
  REQUIRE(folder.Make("engine") && folder.Make("engine/slot") && folder.Make("engine/slot/main") &&
          folder.Make("engine/slot/main/program"));
  RemoveCgroupTree(folder.fd(), "engine");
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("many slots go, though the listing takes several readings") {
  const Folder folder;
  REQUIRE(folder.Make("engine"));
  for (int i = 0; i < 300; ++i)
    REQUIRE(folder.Make("engine/slot-" + std::to_string(i)) &&
            folder.Make("engine/slot-" + std::to_string(i) + "/main"));
  RemoveCgroupTree(folder.fd(), "engine");
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("neighbours stay") {
  const Folder folder;
  REQUIRE(folder.Make("engine") && folder.Make("engine/slot") && folder.Make("engine-2") &&
          folder.Make("engine-2/slot"));
  RemoveCgroupTree(folder.fd(), "engine");
  EXPECT(!folder.Has("engine"));
  EXPECT(folder.Has("engine-2/slot"));
}

TEST("a group that is not there is no trouble") {
  const Folder folder;
  RemoveCgroupTree(folder.fd(), "nothing");
  EXPECT_EQ(folder.Count(), 0u);
}

TEST("folders deeper than ours are left") {
  const Folder folder;
  REQUIRE(folder.Make("1") && folder.Make("1/2") && folder.Make("1/2/3") && folder.Make("1/2/3/4") &&
          folder.Make("1/2/3/4/5"));
  RemoveCgroupTree(folder.fd(), "1");
  EXPECT(folder.Has("1/2/3/4/5"));
}

TEST("links are neither followed nor removed") {
  const Folder folder;
  REQUIRE(folder.Make("engine") && folder.Make("outside") && folder.Make("outside/kept"));
  REQUIRE(symlink("../outside", folder.path("engine/link").c_str()) == 0 &&
          symlink("outside", folder.path("link").c_str()) == 0);
  RemoveCgroupTree(folder.fd(), "engine");
  RemoveCgroupTree(folder.fd(), "link");
  EXPECT(folder.Has("outside/kept"));
  EXPECT(folder.Has("link"));
}

}  // namespace
}  // namespace sbx::test
