#include "proc_files.h"

#include "../common/fd.h"
#include "../common/sys.h"

namespace sbx {

const char* ReadProcFile(int folder, const char* path) {
  static char buffer[4096];
  const Fd file(sys::Open(folder, path, O_RDONLY));
  if (!file) return nullptr;
  const long size = sys::PreadAll(file.get(), buffer, sizeof(buffer) - 1);
  if (size <= 0) return nullptr;
  buffer[size] = '\0';
  return buffer;
}

}  // namespace sbx
