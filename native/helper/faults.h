// Fault injection, in a build for tests alone (`node native/build.mjs --faults`): every step that can fail
// says so through FailIf, so those calls are the points at which one can be made to fail. The table is a file
// that a test reads and writes while the helper runs; all clones of the zygote share it. In the helper that
// is shipped nothing of this is there.
#pragma once

#include <sys/mman.h>

#include "../common/record.h"
#include "../common/sys.h"

namespace sbx {

#ifdef SBX_FAULT_TABLE

constexpr unsigned kFaultStages = 64, kFaultIndexes = 256;

struct FaultTable {
  uint32_t armed;  // taken back to 0 by the one step that fails
  uint32_t stage, index, error;
  uint8_t seen[kFaultStages][kFaultIndexes];  // steps that were reached
};

inline FaultTable* gFaults = nullptr;

inline void OpenFaultTable() {
  const int file = sys::Open(AT_FDCWD, SBX_FAULT_TABLE, O_RDWR);
  if (file < 0) return;
  const long at =
      sys::Call(SYS_mmap, nullptr, sizeof(FaultTable), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  sys::Close(file);
  if (at > 0) gFaults = reinterpret_cast<FaultTable*>(at);
}

// The error number with which this step is to fail, or 0.
inline int InjectedFault(Stage stage, unsigned index) {
  if (gFaults == nullptr || (unsigned)stage >= kFaultStages || index >= kFaultIndexes) return 0;
  gFaults->seen[(unsigned)stage][index] = 1;
  if (__atomic_load_n(&gFaults->armed, __ATOMIC_ACQUIRE) == 0 || gFaults->stage != (unsigned)stage ||
      gFaults->index != index)
    return 0;
  return __atomic_exchange_n(&gFaults->armed, 0u, __ATOMIC_ACQ_REL) != 0 ? (int)gFaults->error : 0;
}

#else

inline void OpenFaultTable() {}
constexpr int InjectedFault(Stage, unsigned) { return 0; }

#endif

}  // namespace sbx
