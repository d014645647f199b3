// Every step at which we can fail, by name. One list: the enum, the names in errors and the names that JavaScript sees
// come from it, so no error says "stage 7".
#pragma once

#include <stdint.h>

namespace sbx {

#define SBX_STAGES(X)                                                             \
  X(none, "none")                                                                 \
  X(message, "read a message")                                                    \
  X(helper, "start the helper")                                                   \
  X(namespaces, "make the engine's namespaces")                                   \
  X(idMap, "write the user and group maps")                                       \
  X(privateMounts, "make the mount tree private")                                 \
  X(root, "mount the root")                                                       \
  X(mountRow, "apply a row of the mount table")                                   \
  X(device, "make a device node")                                                 \
  X(pivot, "enter the new root")                                                  \
  X(hostname, "set the host name")                                                \
  X(slotClone, "clone the keeper of a slot")                                      \
  X(network, "make the network namespace")                                        \
  X(identity, "take the sandbox's user")                                          \
  X(capabilities, "drop capabilities")                                            \
  X(cgroupJoin, "join a cgroup")                                                  \
  X(initClone, "clone the init of a sandbox")                                     \
  X(cgroupNamespace, "make the cgroup namespace")                                 \
  X(loopback, "bring the loopback interface up")                                  \
  X(workspace, "mount the work folder")                                           \
  X(scratch, "mount a private file system")                                       \
  X(proc, "mount /proc")                                                          \
  X(pts, "mount /dev/pts")                                                        \
  X(seccomp, "load the system call filter")                                       \
  X(ready, "report ready")                                                        \
  X(plan, "read the plan of a program")                                           \
  X(cgroupWrite, "write a cgroup limit")                                          \
  X(terminal, "open a terminal")                                                  \
  X(input, "make a file for input")                                               \
  X(output, "make a file for output")                                             \
  X(descriptors, "place the descriptors")                                         \
  X(rlimits, "set a resource limit")                                              \
  X(programIdentity, "take the program's user")                                   \
  X(workingFolder, "enter the working folder")                                    \
  X(programClone, "clone the program's process")                                  \
  X(coreScheduling, "get a core scheduling cookie")                               \
  X(landlock, "make or enter the Landlock domain")                                \
  X(policy, "load the caller's system call filter")                               \
  X(exec, "execute the program")

enum class Stage : uint16_t {
#define SBX_STAGE_ENUM(name, text) k_##name,
  SBX_STAGES(SBX_STAGE_ENUM)
#undef SBX_STAGE_ENUM
};

}  // namespace sbx
