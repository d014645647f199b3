// Reading folders without libc.
#pragma once

#include "../common/sys.h"

namespace sbx {

// `work(entry)` for each that is there and stays there, `.` and `..` included.
template <class Work>
void ForEachEntry(int folder, Work work) {
  alignas(8) char buffer[2048];
  for (;;) {
    const long size = sys::GetDents(folder, buffer, sizeof(buffer));
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto& entry = *reinterpret_cast<const sys::FolderEntry*>(buffer + at);
      at += entry.size;
      work(entry);
    }
  }
}

}  // namespace sbx
