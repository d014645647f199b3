// What a program finds open: each case in a child of its own, whose table it is.
#include "../helper/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>
#include <set>
#include <vector>

#include "../helper/launch.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr int kNumberMax = 2048;  // above all that these tests open

std::set<int> OpenNow() {
  std::set<int> open;
  for (int fd = 0; fd < kNumberMax; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) open.insert(fd);
  return open;
}

// Whether `body` said so in a child. No expectation prints there: what the child has open is not ours.
template <typename Body>
bool HoldsInChild(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Opens one file under each of these numbers; false when one of them cannot be had.
bool OpenAt(std::initializer_list<int> numbers) {
  const int file = open("/dev/null", O_RDWR);
  bool done = file >= 0;
  for (const int number : numbers) done = done && (file == number || dup2(file, number) == number);
  return done;
}

bool Leaves(std::initializer_list<int> kept, const std::set<int>& expected) {
  return HoldsInChild([&] {
    if (!OpenAt({0, 1, 2, 3, 7, 8, 100, 1023})) return false;
    int numbers[16];
    unsigned count = 0;
    for (const int number : kept) numbers[count++] = number;
    return !CloseAllBut(numbers, count) && OpenNow() == expected;
  });
}

TEST("all descriptors are closed but those to be kept, in whatever order, and holes between them") {
  EXPECT(Leaves({}, {}));
  EXPECT(Leaves({-1}, {}));
  EXPECT(Leaves({0}, {0}));
  EXPECT(Leaves({1}, {1}));
  EXPECT(Leaves({0, 1, 2}, {0, 1, 2}));
  EXPECT(Leaves({2, 0, 1, -1}, {0, 1, 2}));
  EXPECT(Leaves({1023, 7, -1, 3}, {3, 7, 1023}));
  EXPECT(Leaves({8, 7, 8, 8}, {7, 8}));
  EXPECT(Leaves({5, 100}, {100}));  // nothing was open there
  EXPECT(Leaves({0, 1, 2, 3, 7, 8, 100, 1023}, {0, 1, 2, 3, 7, 8, 100, 1023}));
}

// A launch whose row i has a file of size i on the number `from`, to be on `target`.
struct Move {
  int from;
  uint16_t target;
};

constexpr int kReport = 400;  // above those that are moved

bool Places(const std::vector<Move>& moves, int report = -1) {
  return HoldsInChild([&] {
    (void)!sys::CloseRange(0, ~0U, 0);
    static StartRecord record;
    static Launch launch;
    launch.record = &record;
    for (const Move& move : moves) {
      const unsigned row = record.fdCount++;
      const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
      if (file < 0 || ftruncate(file, row + 1) != 0) return false;
      if (file != move.from && (dup3(file, move.from, O_CLOEXEC) < 0 || close(file) != 0)) return false;
      launch.fds[row].reset(move.from);
      record.fds[row].target = move.target;
    }
    if (!OpenAt({500, 501})) return false;  // somebody else's
    if (report >= 0 && fcntl(500, F_DUPFD_CLOEXEC, report) != report) return false;
    if (PlaceDescriptorsInChild(launch, report)) return false;
    std::set<int> expected;
    off_t size = 0;
    for (const Move& move : moves) {
      struct stat status = {};
      expected.insert(move.target);
      // Open across exec, and the file of its row.
      if (fcntl(move.target, F_GETFD) != 0 || fstat(move.target, &status) != 0) return false;
      if (status.st_size != ++size) return false;
    }
    if (report >= 0) {
      expected.insert(report);
      if (fcntl(report, F_GETFD) != FD_CLOEXEC) return false;
    }
    return OpenNow() == expected;
  });
}

TEST("each of a program's descriptors gets its number, stays open across exec, and nothing else is open") {
  EXPECT(Places({}));
  EXPECT(Places({{10, 0}, {11, 1}, {12, 2}}));
  EXPECT(Places({{0, 0}, {1, 1}, {2, 2}}));          // where they are already
  EXPECT(Places({{1, 0}, {2, 1}, {0, 2}}));          // in a circle
  EXPECT(Places({{3, 4}, {4, 3}}));                  // each other's
  EXPECT(Places({{10, 5}, {11, 0}, {12, 255}}));     // with holes, up to the highest
  EXPECT(Places({{256, 255}, {257, 0}, {255, 1}}));  // from where they are moved to
  EXPECT(Places({{10, 255}, {11, 254}, {12, 0}}));   // the highest ones first
}

TEST("the report of a launch stays open until exec, beside the program's descriptors") {
  EXPECT(Places({}, kReport));
  EXPECT(Places({{1, 0}, {0, 1}, {12, 255}}, kReport));
}

TEST("as many descriptors as a program may have are placed, beside the report") {
  std::vector<Move> moves;
  for (unsigned i = 0; i < kProgramFdsMax; ++i)
    moves.push_back({(int)i, (uint16_t)(kProgramFdNumberMax - i)});
  EXPECT(Places(moves, kReport));
}

TEST("a descriptor that is none is told by its row") {
  EXPECT(HoldsInChild([] {
    static StartRecord record;
    static Launch launch;
    launch.record = &record;
    record.fdCount = 2;
    launch.fds[0].reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    launch.fds[1].reset(kNumberMax);
    const Failure failure = PlaceDescriptorsInChild(launch, -1);
    return failure.stage == Stage::k_descriptors && failure.index == 1 && failure.error == EBADF;
  }));
}

}  // namespace
}  // namespace sbx::test
