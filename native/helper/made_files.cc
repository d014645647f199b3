#include "made_files.h"

#include <errno.h>

#include "../common/channel.h"
#include "../common/memory_file.h"
#include "init.h"

namespace sbx {
namespace {

static_assert(sizeof(EndedRecord) % alignof(OutputEnd) == 0);  // the ends follow it

// What the host has put there before is all that there can be in the way, no link among it.
int OpenBelow(int tree, const char* path, int flags, mode_t mode) {
  struct open_how how = {};
  how.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  return sys::Open2(tree, path, &how);
}

// With the output's number as index it is its path that cannot be written to, which is the caller's affair.
Failure MakeOutput(
    const Init& init, const OutputRow& row, const char* path, unsigned output, Fd& write, Fd& read) {
  constexpr unsigned kOurs = 100;
  const int tree = init.setup.trees[row.tree].get();
  const Template& plan = init.helper.plan;
  write.reset(OpenBelow(tree, path, O_WRONLY | O_CREAT | O_TRUNC, row.mode));
  SBX_TRY(FailIf(Stage::k_output, write.get(), output));
  if (!plan.rootless)
    SBX_TRY(
        FailIf(Stage::k_output, sys::Call(SYS_fchown, write.get(), plan.insideUid, plan.insideUid), kOurs));
  read.reset(OpenBelow(tree, path, O_RDONLY, 0));
  return FailIf(Stage::k_output, read.get(), kOurs + 1);
}

Failure Fill(Input& input, const char* content, size_t size) {
  SBX_TRY(FailIf(Stage::k_input, WriteAll(input.file.get(), content, size), 2));
  SBX_TRY(FailIf(Stage::k_input, Seal(input.file.get()), 3));
  input.file.reset();
  return {};
}

// To every descriptor of the program that is to be this one.
Failure GiveToProgram(Launch& launch, uint8_t kind, unsigned index, int file) {
  for (unsigned i = 0; i < launch.record->fdCount; ++i) {
    const FdRow& row = launch.record->fds[i];
    if ((row.flags & kind) == 0 || row.index != index) continue;
    launch.fds[i].reset(sys::Fcntl(file, F_DUPFD_CLOEXEC, 0));
    SBX_TRY(FailIf(Stage::k_plan, launch.fds[i].get(), 8));
  }
  return {};
}

// All that a file holds. Negative when that is more than there is room for, or cannot be read.
long ReadSmall(int file, char* to, size_t room) {
  const long got = sys::PreadAll(file, to, room);
  return got == (long)room ? -EFBIG : got;
}

}  // namespace

Failure MakeInput(Input& input) {
  input.file.reset(NewMemoryFile(kInputName));
  SBX_TRY(FailIf(Stage::k_input, input.file.get()));
  input.view.reset(ReadOnlyView(input.file.get()));
  return FailIf(Stage::k_input, input.view.get(), 1);
}

Failure MakeFiles(Init& init, const char* message, Launch& launch) {
  const StartRecord& record = *launch.record;
  for (unsigned i = 0; i < record.contentCount; ++i) {
    const ContentRow& row = record.contents[i];
    if ((uint64_t)row.at + row.size > record.size) return {Stage::k_plan, 30, EPROTO};
    Input input = static_cast<Input&&>(init.spareInput);
    if (!input.view) SBX_TRY(MakeInput(input));
    SBX_TRY(Fill(input, message + row.at, row.size));
    SBX_TRY(GiveToProgram(launch, kFdContent, i, input.view.get()));
  }
  init.spareInput = {};
  for (unsigned i = 0; i < record.outputCount; ++i) {
    const OutputRow& row = record.outputs[i];
    if (row.tree >= init.setup.treeCount || row.path >= record.size) return {Stage::k_plan, 31, EPROTO};
    Fd write;
    SBX_TRY(MakeOutput(init, row, message + row.path, i, write, init.outputs.files[i]));
    SBX_TRY(GiveToProgram(launch, kFdOutput, i, write.get()));
    init.outputs.asFile[i] = row.asFile != 0;
  }
  init.outputs.count = record.outputCount;
  // Nobody needs the trees any more, and the working folder of a program could be one of them, by
  // /proc/self/fd.
  for (Fd& tree : init.setup.trees) tree.reset();
  init.setup.treeCount = 0;
  return {};
}

void SendEnded(Init& init, EndedRecord record) {
  static char contents[kReportBytesMax];  // not touched where there is nothing to read
  struct {
    EndedRecord record;
    OutputEnd ends[kOutputsMax];
  } report;
  const Outputs& outputs = init.outputs;
  const size_t headSize = sizeof(record) + outputs.count * sizeof(OutputEnd);
  size_t size = 0;
  int beside[kOutputsMax];
  unsigned besideCount = 0;
  for (unsigned i = 0; i < outputs.count; ++i) {
    const int file = outputs.files[i].get();
    const long held =
        outputs.asFile[i] ? -EFBIG : ReadSmall(file, contents + size, kReportBytesMax - headSize - size);
    if (held < 0) beside[besideCount++] = file;
    else size += (size_t)held;
    report.ends[i] = {held < 0 ? 0 : (uint32_t)held, held < 0};
  }
  report.record = record;
  report.record.outputCount = outputs.count;
  const struct iovec parts[] = {{&report, headSize}, {contents, size}};
  // A host that is gone shows as end of file.
  (void)SendParts(init.channel.get(), parts, 2, beside, besideCount);
}

}  // namespace sbx
