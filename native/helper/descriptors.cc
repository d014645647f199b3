#include "descriptors.h"

#include "launch.h"

namespace sbx {
namespace {

void Sort(int* numbers, unsigned count) {
  for (unsigned i = 1; i < count; ++i)
    for (unsigned j = i; j > 0 && numbers[j - 1] > numbers[j]; --j) {
      const int number = numbers[j];
      numbers[j] = numbers[j - 1];
      numbers[j - 1] = number;
    }
}

}  // namespace

Failure CloseAllBut(int* kept, unsigned count) {
  Sort(kept, count);
  unsigned first = 0;  // not looked at yet
  for (unsigned i = 0; i < count; ++i) {
    if (kept[i] < 0) continue;
    const auto number = (unsigned)kept[i];
    if (number > first) SBX_TRY(FailIf(Stage::k_descriptors, sys::CloseRange(first, number - 1, 0), 101));
    first = number + 1;
  }
  return FailIf(Stage::k_descriptors, sys::CloseRange(first, ~0U, 0), 102);
}

// Two passes, so that no descriptor is overwritten before it has been moved.
Failure PlaceDescriptorsInChild(const Launch& launch, int report) {
  const StartRecord& record = *launch.record;
  int moved[kProgramFdsMax], kept[kProgramFdsMax + 1];
  for (unsigned i = 0; i < record.fdCount; ++i) {
    moved[i] = sys::Fcntl(launch.fds[i].get(), F_DUPFD_CLOEXEC, kProgramFdNumberMax + 1);
    SBX_TRY(FailIf(Stage::k_descriptors, moved[i], i));
  }
  for (unsigned i = 0; i < record.fdCount; ++i) {
    SBX_TRY(FailIf(Stage::k_descriptors, sys::Dup3(moved[i], record.fds[i].target, 0), i));
    kept[i] = record.fds[i].target;
  }
  kept[record.fdCount] = report;
  return CloseAllBut(kept, record.fdCount + 1);
}

}  // namespace sbx
