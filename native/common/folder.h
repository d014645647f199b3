// Reading folders without libc.
#pragma once

#include "sys.h"

namespace sbx {

// `work(entry)` for each, `.` and `..` included, until one is negative. Returns that, or 0, or why the folder
// cannot be read. `kBytes`: what is read at a time, on the stack.
template <size_t kBytes = 2048, class Work>
int ForEachEntry(int folder, Work work) {
  alignas(8) char buffer[kBytes];
  for (;;) {
    const long size = sys::GetDents(folder, buffer, sizeof(buffer));
    if (size <= 0) return (int)size;
    for (long at = 0; at < size;) {
      const auto& entry = *reinterpret_cast<const sys::FolderEntry*>(buffer + at);
      at += entry.size;
      if (const int done = work(entry); done < 0) return done;
    }
  }
}

}  // namespace sbx
