#include "sparse_copy.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "../common/sys.h"

namespace sbx {
namespace {

constexpr int64_t kPieceBytes = 64 << 20;
// Of what is no hole at the least, so that a program that punches one meanwhile keeps nobody in a circle.
constexpr int64_t kDataBytesMin = 4096;

long Seek(int fd, int64_t offset, int whence) { return sys::Call(SYS_lseek, fd, offset, whence); }

// From where data begins to where `to` is to have it. Ends early where the file has shrunk meanwhile.
int CopyRange(int from, int to, int64_t begin, int64_t end) {
  if (const long moved = Seek(to, begin, SEEK_SET); moved < 0) return (int)moved;
  for (int64_t at = begin; at < end;) {
    const long copied = sys::CallRetry(SYS_sendfile, to, from, &at, std::min(end - at, kPieceBytes));
    if (copied <= 0) return (int)copied;
  }
  return 0;
}

}  // namespace

long CopySparse(int from, int to) {
  struct stat status = {};
  if (const long got = sys::Call(SYS_fstat, from, &status); got < 0) return (int)got;
  const int64_t size = status.st_size;
  for (const int64_t length : {(int64_t)0, size})
    if (const long cut = sys::CallRetry(SYS_ftruncate, to, length); cut < 0) return (int)cut;
  for (int64_t at = 0; at < size;) {
    const long begin = Seek(from, at, SEEK_DATA);
    if (begin == -ENXIO) return 0;  // nothing but a hole to the end
    if (begin < 0) return (int)begin;
    const long hole = Seek(from, begin, SEEK_HOLE);
    const int64_t end = std::min(std::max((int64_t)hole, begin + kDataBytesMin), size);
    if (const int copied = CopyRange(from, to, begin, end); copied < 0) return copied;
    at = std::max((int64_t)begin, end);
  }
  return 0;
}

}  // namespace sbx
