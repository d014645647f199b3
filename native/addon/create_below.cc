#include "create_below.h"

#include <errno.h>
#include <fcntl.h>

#include "../common/fd.h"
#include "open_below.h"

namespace sbx {
namespace {

// Makes the folders that lead to the last component of `path`: on the way down, since each walk from the top
// takes a millisecond where names lie as deep as they can.
int MakeParents(int dir, const std::string& path, mode_t mode, bool follow) {
  Fd above(sys::Fcntl(dir, F_DUPFD_CLOEXEC, 0));
  size_t start = 0;
  for (size_t end = path.find('/'); above && end != std::string::npos; end = path.find('/', start)) {
    const std::string name = path.substr(start, end - start);
    const int made = sys::MkdirAt(above.get(), name.c_str(), mode);
    if (made < 0 && made != -EEXIST) return made;
    if (made == 0) {
      // The process's umask has had its say.
      const Fd folder(OpenBelow(above.get(), name.c_str(), O_RDONLY | O_DIRECTORY, 0, false));
      if (folder) (void)!RawSyscall(SYS_fchmod, folder.get(), mode);
    }
    int next = OpenBelow(above.get(), name.c_str(), O_PATH | O_DIRECTORY, 0, false);
    if (next == -ELOOP && follow)  // a link, which may lead up: from the top
      next = OpenBelow(dir, path.substr(0, end).c_str(), O_PATH | O_DIRECTORY, 0, true);
    above.reset(next);
    start = end + 1;
  }
  return above ? 0 : above.release();
}

// `isOurs`: its mode is for us to say.
int OpenToWrite(int dir, const Creation& creation, bool& isOurs) {
  const auto open = [&](int more) {
    const int flags = O_WRONLY | creation.flags | more;
    return OpenBelow(dir, creation.path.c_str(), flags, creation.mode, creation.follow);
  };
  isOurs = (creation.flags & O_TRUNC) != 0;
  if (isOurs) return open(O_CREAT);
  const int kept = open(0);
  if (kept != -ENOENT) return kept;
  const int made = open(O_CREAT | O_EXCL);
  isOurs = made >= 0;
  // A program was faster; or it is a link that leads nowhere, which is no file, and yet there.
  return made == -EEXIST ? open(O_CREAT) : made;
}

}  // namespace

int CreateBelow(int dir, const Creation& creation) {
  bool isOurs = false;
  int opened = OpenToWrite(dir, creation, isOurs);
  if (opened == -ENOENT) {
    const int made = MakeParents(dir, creation.path, creation.folderMode, creation.follow);
    if (made < 0) return made;
    opened = OpenToWrite(dir, creation, isOurs);
  }
  if (opened < 0) return opened;
  Fd file(opened);
  struct stat status = {};
  if (const int error = CheckRegular(opened, status); error < 0) return error;
  // The process's umask has had its say; the mode is the caller's. Not ours to change where the program made
  // the file.
  if (isOurs && (status.st_mode & 07777) != creation.mode)
    (void)!RawSyscall(SYS_fchmod, opened, creation.mode);
  return file.release();
}

}  // namespace sbx
