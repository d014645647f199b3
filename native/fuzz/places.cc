// Folders of the made-up kernel: the working folder is always where it should be, and every place is the same
// one.
#include <string.h>
#include <sys/stat.h>

#include "target.h"
#include "world.h"

namespace sbx::fuzz {

long WhereWeAre(char* path, size_t size) {
  constexpr char kPath[] = "/w";
  Readable(path, size);
  memcpy(path, kPath, sizeof(kPath));
  return sizeof(kPath);
}

long LookAtPlace(unsigned mask, struct statx* status) {
  memset(status, 0, sizeof(*status));
  status->stx_mask = mask;
  return 0;
}

}  // namespace sbx::fuzz
