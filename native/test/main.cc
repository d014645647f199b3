#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

namespace sbx::test {
namespace {

constexpr unsigned kShownMax = 10;  // failures of one test that are printed

Case* gFirst = nullptr;
Case** gEnd = &gFirst;
const Case* gRunning = nullptr;
unsigned gFailures = 0;  // of the running test

bool RunOne(const Case& test) {
  gRunning = &test;
  gFailures = 0;
  const size_t before = OpenDescriptors();
  test.run();
  const size_t after = OpenDescriptors();
  if (after != before)
    Fail(test.file, test.line, "descriptors open: " + Shown(before) + " before, " + Shown(after) + " after");
  if (gFailures > kShownMax) printf("  and %u more\n", gFailures - kShownMax);
  return gFailures == 0;
}

}  // namespace

Case::Case(const char* file, int line, const char* sentence, void (*run)())
    : file(file), line(line), sentence(sentence), run(run) {
  *gEnd = this;
  gEnd = &next;
}

void Fail(const char* file, int line, const std::string& what) {
  if (++gFailures <= kShownMax) printf("%s:%d: %s: %s\n", file, line, gRunning->sentence, what.c_str());
}

size_t OpenDescriptors() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return 0;
  size_t count = 0;
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count - 1;  // the folder itself
}

}  // namespace sbx::test

// An argument runs only the tests whose sentence contains it.
int main(int argc, char** argv) {
  using namespace sbx::test;
  unsigned passed = 0, failed = 0;
  for (const Case* test = gFirst; test != nullptr; test = test->next) {
    if (argc > 1 && strstr(test->sentence, argv[1]) == nullptr) continue;
    if (RunOne(*test)) ++passed;
    else ++failed;
    fflush(stdout);
  }
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
