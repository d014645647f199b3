#include "to_buffer.h"

#include <sys/mman.h>

namespace sbx {

Napi::Buffer<char> ToBuffer(Napi::Env env, Gathered& gathered) {
  const size_t size = gathered.size();
  char* mapping = gathered.Release();
  if (mapping == nullptr) {
    const Napi::Buffer<char> copy = Napi::Buffer<char>::Copy(env, gathered.bytes().data(), size);
    gathered.Drop();
    return copy;
  }
  // Copied after all where JavaScript may have no memory of others (Electron).
  return Napi::Buffer<char>::NewOrCopy(
      env, mapping, size, [size](Napi::Env, char* data) { munmap(data, size); });
}

}  // namespace sbx
