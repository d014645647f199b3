/* device-nodes: makes devices, opens what there is. */
#include <sys/sysmacros.h>
#include "attack.h"
int main(void) {
  static const char *const folders[] = {"/w", "/tmp", "/dev/shm"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    (void)!chdir(folders[i]);
    tried("memory", mknod("m", S_IFCHR | 0666, makedev(1, 1)));
    tried("null", mknod("n", S_IFCHR | 0666, makedev(1, 3)));
    tried("disk", mknod("b", S_IFBLK | 0666, makedev(8, 0)));
    tried("fuse", mknod("f", S_IFCHR | 0666, makedev(10, 229)));
    tried("open m", open("m", O_RDWR));
    tried("open b", open("b", O_RDWR));
  }
  static const char *const devices[] = {"/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/fuse", "/dev/net/tun", "/dev/kvm", "/dev/uinput"};
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) tried(devices[i], open(devices[i], O_RDONLY));
  return done();
}
