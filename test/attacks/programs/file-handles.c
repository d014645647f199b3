/* file-handles: opens inodes of the host by guessed handles, watches whole file systems. */
#include <sys/fanotify.h>
#include "attack.h"
#ifndef FAN_REPORT_FID
#define FAN_REPORT_FID 0x200
#endif
int main(void) {
  struct {
    struct file_handle handle;
    unsigned char bytes[16];
  } guess;
  int mount = open("/usr", O_RDONLY | O_DIRECTORY);
  for (unsigned inode = 2; inode < 300; inode++) {
    guess.handle.handle_bytes = 8;
    guess.handle.handle_type = 1;
    memset(guess.bytes, 0, sizeof guess.bytes);
    memcpy(guess.handle.f_handle, &inode, sizeof inode);
    int fd = open_by_handle_at(mount, &guess.handle, O_RDONLY);
    if (fd >= 0) got("a file by its handle");
    else if (errno != EPERM) got(errno_name(errno));
  }
  int id;
  guess.handle.handle_bytes = 8;
  must_fail_with("name_to_handle_at", name_to_handle_at(AT_FDCWD, "/usr", &guess.handle, &id, 0), EPERM);
  must_fail_with("fanotify_init", fanotify_init(FAN_CLASS_NOTIF, O_RDONLY), EPERM);
  must_fail_with("fanotify_init with FAN_REPORT_FID", fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_FID, O_RDONLY), EPERM);
  return done();
}
