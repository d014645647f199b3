#include "held_memory.h"

#include <errno.h>
#include <linux/ipc.h>
#include <linux/shm.h>
#include <sys/statfs.h>

#include "../common/text.h"
#include "init.h"
#include "proc_files.h"

namespace sbx {
namespace {

constexpr uint64_t kPageBytes = 4096;
// Of each thread: its stack in the kernel, of 16 KiB, and what belongs to it.
constexpr uint64_t kThreadBytes = 24 << 10;
// Threads that end while they are looked for.
constexpr unsigned kThreadTries = 16;

const char* AfterSpaces(const char* text) {
  while (*text == ' ' || *text == '\t') ++text;
  return text;
}

// The word with this number, words being parted by single spaces; "" when there are fewer.
const char* Word(const char* text, unsigned number) {
  for (; number > 0 && *text != '\0'; ++text) number -= *text == ' ';
  return text;
}

// The number behind `key` at the start of a line; 0 without one. Goes on from `text`, which is moved there.
uint64_t NextField(const char*& text, const char* key) {
  const char* value = FindText(text, key);
  if (value == nullptr) return 0;
  text = value;
  const uint64_t number = ParseNumber(AfterSpaces(value));
  return number == kUnknown ? 0 : number;
}

uint64_t Kib(uint64_t number) { return number > UINT64_MAX / 1024 ? 0 : number * 1024; }

// In the order in which the kernel writes them. False without memory: of a process that has gone, and of a
// thread that has ended.
bool ReadNoted(int proc, int id, Held& held) {
  Text<32> path;
  path << (uint64_t)id << "/status";
  const char* text = ReadProcFile(proc, path.text());
  if (FindText(text, "VmPTE:") == nullptr) return false;
  held.privateBytes = Kib(NextField(text, "RssAnon:"));
  held.sharedBytes = Kib(NextField(text, "RssShmem:"));
  held.kernelBytes = Kib(NextField(text, "VmPTE:"));
  held.privateBytes = Sum(held.privateBytes, Kib(NextField(text, "VmSwap:")));
  const uint64_t threads = NextField(text, "Threads:");
  held.kernelBytes = Sum(held.kernelBytes, threads > UINT64_MAX / kThreadBytes ? 0 : threads * kThreadBytes);
  return true;
}

// Puts the parts of what is shared in the place of the whole. A process that has executed what it may not
// read is shown by the kernel to nobody here: there the whole stays. False when it has gone.
bool ReadShares(int proc, int id, Held& held) {
  Text<64> path;
  path << (uint64_t)id << "/smaps_rollup";
  const Fd file(sys::Open(proc, path.text(), O_RDONLY));
  if (file.get() == -EACCES || file.get() == -EPERM) return true;
  const char* text = ReadText(file.get());
  if (text == nullptr) return false;
  held.privateBytes = Kib(NextField(text, "Pss_Anon:"));
  held.sharedBytes = Kib(NextField(text, "Pss_Shmem:"));
  held.privateBytes = Sum(held.privateBytes, Kib(NextField(text, "SwapPss:")));
  return true;
}

// A process whose first thread has ended shows its memory under the numbers of its other threads alone. They
// can hand on to each other, as processes do (held_memory.h), but the list of threads is not in the order of
// numbers. `look` says whether it was told.
template <class Look>
void AtLivingThread(int proc, int pid, Look look) {
  if (look(pid)) return;
  Text<32> path;
  path << (uint64_t)pid << "/task";
  for (unsigned tries = 0; tries < kThreadTries; ++tries) {
    const Fd tasks(sys::Open(proc, path.text(), O_RDONLY | O_DIRECTORY));
    bool told = false, others = false;
    (void)ForEachEntry<kOneNameBytes>(tasks.get(), [&](const sys::FolderEntry& entry) {
      const uint64_t thread = ParseNumber(entry.name);
      if (thread > INT32_MAX || (int)thread == pid) return 0;
      others = true;
      told = look((int)thread);
      return told ? -1 : 0;
    });
    if (told || !others) return;
  }
}

// 0 when it is not told.
int ParentOf(int proc, int pid) {
  const char* stat = ReadStat(proc, pid);
  const uint64_t parent = stat == nullptr ? kUnknown : ParseNumber(Word(stat, 2));
  return parent <= INT32_MAX ? (int)parent : 0;
}

// The call is refused without the key (common/launch_key.h).
bool BorrowsFromParent(const Init& init, int proc, int pid) {
  constexpr int kCompareMemory = 1;  // KCMP_VM
  const LaunchKey& key = init.helper.plan.launchKey;
  const int parent = ParentOf(proc, pid);
  return parent > 1 && sys::Call(SYS_kcmp, pid, parent, kCompareMemory, key.first(), key.second()) == 0;
}

uint64_t FileSystemBytes(const char* folder) {
  struct statfs status = {};
  if (sys::Call(SYS_statfs, folder, &status) < 0 || status.f_bfree > status.f_blocks) return 0;
  return (uint64_t)(status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
}

uint64_t SegmentsBytes() {
  struct shm_info info = {};
  if (sys::Call(SYS_shmctl, 0, SHM_INFO, &info) < 0) return 0;
  const uint64_t pages = Sum(info.shm_rss, info.shm_swp);
  return pages > UINT64_MAX / kPageBytes ? 0 : pages * kPageBytes;
}

}  // namespace

Held AtMostHeldBy(int proc, int pid) {
  Held held;
  AtLivingThread(proc, pid, [&](int id) { return ReadNoted(proc, id, held); });
  return held;
}

Held HeldBy(const Init& init, int proc, int pid) {
  if (BorrowsFromParent(init, proc, pid)) return {0, 0, kThreadBytes};
  Held held;
  AtLivingThread(proc, pid, [&](int id) {
    const bool noted = ReadNoted(proc, id, held);
    if (noted && ReadShares(proc, id, held)) return true;
    const bool missed = held.missed || noted;
    held = {};
    held.missed = missed;
    return false;
  });
  return held;
}

uint64_t FilesBytes(const Init& init) {
  const Template& plan = init.helper.plan;
  const char* const folders[] = {plan.workDir, "/tmp", "/dev/shm"};
  uint64_t bytes = SegmentsBytes();
  for (const char* folder : folders) bytes = Sum(bytes, FileSystemBytes(folder));
  for (unsigned i = 0; i < plan.rowCount; ++i) {
    if (plan.rows[i].kind != MountKind::kTmpfs) continue;
    Text<4096> target;
    target << "/" << plan.strings + plan.rows[i].target;
    bool isAmongThem = !target.ok();
    for (const char* folder : folders) isAmongThem = isAmongThem || Equal(target.text(), folder);
    if (!isAmongThem) bytes = Sum(bytes, FileSystemBytes(target.text()));
  }
  return bytes;
}

}  // namespace sbx
