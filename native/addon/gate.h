// Holds programs at the opening of a file. The file is made empty and marked (fanotify, FAN_OPEN_PERM); a
// program that opens it hangs in the kernel, in its own open(), until the host has written the content and
// lets it go on. The program cannot tell: it finds a file that was there all the time.
//
// Needs CAP_SYS_ADMIN in the first user namespace. Whoever opens a held file waits, the host included:
// nothing here or above may open one by its path. A host that dies lets all go on, and the end of the
// sandboxes gets them.
#pragma once

#include <napi.h>

#include <map>
#include <memory>
#include <vector>

#include "../common/fd.h"
#include "reactor.h"

namespace sbx {

class Gate : public Napi::ObjectWrap<Gate> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit Gate(const Napi::CallbackInfo& info);  // (onOpened: (id) => void)
  ~Gate() override;

 private:
  // ({ dir, path, owner }) -> id of the new file, or a negative error number.
  Napi::Value Hold(const Napi::CallbackInfo& info);
  // ({ id, bytes }): writes the content and lets the opening go on. 0, or a negative error number: ENOENT
  // when nobody waits.
  Napi::Value Open(const Napi::CallbackInfo& info);
  // (id): forgets a file; whoever waits for it goes on.
  Napi::Value Drop(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  struct Opening {
    int fd;    // of the event, which waits for an answer
    int task;  // whose opening it is
  };

  // Of the kernel's. An answer wakes all who wait in its group, so there are some groups.
  class Group : public Watch {
   public:
    explicit Group(Gate& gate) : gate_(gate) {}
    int Open();
    void OnEvents(unsigned) override;
    int Mark(unsigned action, int file);
    // No opening of it is held from now on.
    void LookAway(int file);

    Fd events;
    unsigned fileCount = 0;

   private:
    Gate& gate_;
  };

  struct Held {
    Fd file;
    uint64_t device, inode;
    Group* group;
    std::vector<Opening> openings;
  };

  int PickGroup(Group*& picked);
  void TakeEvent(Group& group, Opening opening);
  int Answer(Held& held);
  void Forget(std::map<int, Held>::iterator held);

  Reactor* reactor_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::map<int, Held> held_;  // by the number of the file's descriptor
  Napi::FunctionReference onOpened_;
};

}  // namespace sbx
