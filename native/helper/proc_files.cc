#include "proc_files.h"

#include "../common/fd.h"
#include "../common/sys.h"
#include "counters.h"

namespace sbx {

const char* ReadProcFile(int folder, const char* path) {
  const Fd file(sys::Open(folder, path, O_RDONLY));
  return ReadText(file.get());
}

}  // namespace sbx
