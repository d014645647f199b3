// The filters of the families of languages, against lists written here by hand.
#include <asm/unistd.h>

#include <vector>

#include "../plan/families.h"
#include "seccomp_subject.h"
#include "test.h"

namespace sbx::test {
namespace {

constexpr CallFamily kFamilies[] = {CallFamily::kAny, CallFamily::kNative, CallFamily::kPython,
    CallFamily::kNode, CallFamily::kJvm, CallFamily::kBeam, CallFamily::kShell};
constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM, kMissing = SECCOMP_RET_ERRNO | ENOSYS;

class FamilySubject {
 public:
  FamilySubject(CallFamily family, bool kill) {
    CompileFamily(family, kill, filter_);
    bpf_.emplace_back(filter_);
  }
  uint32_t Run(uint32_t number) { return bpf_[0].Run(Data(kNative, number, {})); }
  const Filter& filter() const { return filter_; }
  const std::vector<bool>& executed() const { return bpf_[0].executed(); }

 private:
  Filter filter_;
  std::vector<Bpf> bpf_;
};

TEST("a family's filter lets its groups through, and of the rest what the filter below refuses by itself") {
  size_t groupCount, rowCount;
  const CallGroup* groups = CallGroups(groupCount);
  const SeccompRow* rows = SeccompRows(rowCount);
  for (const CallFamily family : kFamilies)
    for (const bool kill : {false, true}) {
      std::vector<bool> allowed(600);
      for (size_t i = 0; i < groupCount; ++i)
        for (unsigned j = 0; j < groups[i].count; ++j)
          if (family == CallFamily::kAny || (groups[i].families & FamilyBit(family)) != 0)
            allowed[groups[i].numbers[j]] = true;
      for (size_t i = 0; i < rowCount; ++i)
        if (rows[i].condition == nullptr || rows[i].number == __NR_ptrace || rows[i].number == __NR_io_setup)
          allowed[rows[i].number] = true;
      FamilySubject subject(family, kill);
      for (unsigned number = 0; number < allowed.size(); ++number)
        EXPECT_EQ(subject.Run(number), allowed[number]                            ? kAllow
                                       : number >= (__NR_rseq == 334 ? 335 : 295) ? kMissing
                                       : kill                                     ? kKill
                                                                                  : kRefused);
      EXPECT_EQ(subject.Run(kX32Bit + 1), kMissing);
      EXPECT(subject.filter().length <= kFilterLengthMax);
    }
}

TEST("every family can start a program, go on, and end; none has what no language calls") {
  for (const CallFamily family : kFamilies) {
    FamilySubject subject(family, false);
    for (const unsigned number : {__NR_read, __NR_write, __NR_execve, __NR_exit_group, __NR_rt_sigreturn,
             __NR_seccomp, __NR_clock_nanosleep, __NR_close_range, __NR_mmap})
      EXPECT_EQ(subject.Run(number), kAllow);
    for (const unsigned number : {__NR_shmget, __NR_msgsnd, __NR_semop, __NR_mq_open, __NR_io_submit,
             __NR_remap_file_pages, __NR_unshare, __NR_inotify_rm_watch, __NR_readahead, __NR_ioprio_set})
      EXPECT_EQ(subject.Run(number), kRefused);
  }
}

TEST("what one family calls is refused to others") {
  struct Case {
    unsigned number;
    std::initializer_list<CallFamily> families;
  };
  const Case cases[] = {
      {__NR_pkey_alloc, {CallFamily::kNode}},
      {__NR_memfd_create, {CallFamily::kNative, CallFamily::kPython, CallFamily::kJvm, CallFamily::kBeam}},
      {__NR_membarrier, {CallFamily::kNative, CallFamily::kNode, CallFamily::kJvm, CallFamily::kBeam}},
      {__NR_timer_create, {CallFamily::kNative, CallFamily::kShell}},
      {__NR_sendmsg,
          {CallFamily::kNative, CallFamily::kPython, CallFamily::kNode, CallFamily::kJvm, CallFamily::kBeam}},
      {__NR_mlock, {CallFamily::kNative}},
      {__NR_mincore, {CallFamily::kJvm}},
      {__NR_personality, {CallFamily::kShell}},
  };
  for (const Case& one : cases)
    for (const CallFamily family : kFamilies) {
      bool wanted = family == CallFamily::kAny;
      for (const CallFamily other : one.families) wanted = wanted || other == family;
      EXPECT_EQ(FamilySubject(family, false).Run(one.number), wanted ? kAllow : kRefused);
    }
}

TEST("every instruction of a family's filter is reached") {
  for (const CallFamily family : kFamilies) {
    FamilySubject subject(family, false);
    for (unsigned number = 0; number < 600; ++number) (void)subject.Run(number);
    for (const bool executed : subject.executed()) EXPECT(executed);
  }
}

}  // namespace
}  // namespace sbx::test
