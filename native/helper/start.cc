// Where the helper begins: there is no libc in it. Sets the stack up as the ABI wants it and calls
// HelperMain.
#include <stddef.h>

#include "../common/sys.h"

namespace sbx {
[[noreturn]] void HelperMain();
}

extern "C" {

[[noreturn]] void sbx_start() { sbx::HelperMain(); }

#if defined(__x86_64__)
asm(".globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call sbx_start\n");
#else
asm(".globl _start\n_start:\n mov x29, #0\n mov x30, #0\n bl sbx_start\n");
#endif

// The compiler may call these four whatever we write.
void* memcpy(void* to, const void* from, size_t size) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  while (size-- > 0) *target++ = *source++;
  return to;
}
void* memmove(void* to, const void* from, size_t size) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  if (target <= source) return memcpy(to, from, size);
  while (size-- > 0) target[size] = source[size];
  return to;
}
void* memset(void* to, int value, size_t size) {
  char* target = static_cast<char*>(to);
  while (size-- > 0) *target++ = (char)value;
  return to;
}
int memcmp(const void* a, const void* b, size_t size) {
  const unsigned char* left = static_cast<const unsigned char*>(a);
  const unsigned char* right = static_cast<const unsigned char*>(b);
  for (; size > 0; --size, ++left, ++right)
    if (*left != *right) return *left - *right;
  return 0;
}
}
