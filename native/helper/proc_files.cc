#include "proc_files.h"

#include "../common/fd.h"
#include "../common/sys.h"
#include "../common/text.h"
#include "counters.h"

namespace sbx {

const char* ReadProcFile(int folder, const char* path) {
  const Fd file(sys::Open(folder, path, O_RDONLY));
  return ReadText(file.get());
}

const char* ReadStat(int proc, int pid) {
  Text<32> path;
  path << (uint64_t)pid << "/stat";
  const char* behindName = nullptr;
  for (const char* text = ReadProcFile(proc, path.text()); text != nullptr && *text != '\0'; ++text)
    if (*text == ')') behindName = text + 1;
  return behindName;
}

}  // namespace sbx
