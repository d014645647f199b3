/** Bounds and names that native code has, too. Made from native/protocol/*.def by `node native/build.mjs`: edit the tables there. */

/** Of the tables that this was made from; the addon has one, too. */
export const PROTOCOL_VERSION = 1739632446;

/** Larger plans travel in a sealed memory file. */
export const MESSAGE_BYTES_MAX = 61440;
export const PLAN_BYTES_MAX = 4194304;
/** Descriptors beside one message. */
export const DESCRIPTORS_MAX = 96;
/** Living programs in one sandbox. */
export const PROGRAMS_MAX = 64;
/** Descriptors handed to one program. */
export const PROGRAM_FDS_MAX = 48;
export const PROGRAM_FD_NUMBER_MAX = 255;
/** Inputs that init makes for one program. */
export const CONTENTS_MAX = 4;
/** Outputs that init makes for one program. */
export const OUTPUTS_MAX = 8;
/** The report of a program's end, with the bytes of small outputs. */
export const REPORT_BYTES_MAX = 16384;
export const JOINS_MAX = 8;
export const WRITES_MAX = 12;
export const RLIMITS_MAX = 16;
/** Instructions of a filter of the caller's: as many as the kernel takes (BPF_MAXINSNS). */
export const POLICY_LENGTH_MAX = 4096;
/** Mounts, and paths that are masked. */
export const MOUNT_ROWS_MAX = 192;
/** File systems of a sandbox that the host can reach. */
export const TREES_MAX = 24;

/** Files of a cgroup that are handed to the helper. */
export const COUNTERS = ['cpu', 'memoryPeak', 'memoryNow', 'memoryStat', 'memoryEvents', 'oomNotice', 'taskPeak', 'memoryLimit', 'swapLimit', 'socketLimit', 'taskLimit', 'procs'] as const;
/** One of `COUNTERS`. */
export type CounterName = (typeof COUNTERS)[number];

/** Why the supervisor ended a program, if it did. */
export const CAUSES = ['none', 'cpu-limit', 'wall-limit', 'output-limit', 'memory-limit', 'killed'] as const;
/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

/** Families of `ProgramOptions.seccompFamily`: C, C++, Rust and Go are `'native'`, Erlang and Elixir `'beam'`. */
export const SYSCALL_FAMILIES = ['any', 'native', 'python', 'node', 'jvm', 'beam', 'shell'] as const;
/** One of `SYSCALL_FAMILIES`. */
export type SyscallFamily = (typeof SYSCALL_FAMILIES)[number];

/** What a sandbox's /proc can be. */
export const PROC_MODES = ['masked', 'none', 'writable'] as const;
/** One of `PROC_MODES`. */
export type ProcMode = (typeof PROC_MODES)[number];

/** System calls that `EngineOptions.allowSyscalls` knows. */
export const ALLOWABLE_SYSCALLS = ['ptrace', 'seccomp', 'io_setup'] as const;
/** One of `ALLOWABLE_SYSCALLS`. */
export type AllowableSyscall = (typeof ALLOWABLE_SYSCALLS)[number];

/** Kinds of rows of the mount table. */
export const MOUNT_KINDS = ['bind', 'dir', 'file', 'symlink', 'tmpfs', 'mask'] as const;
/** One of `MOUNT_KINDS`. */
export type MountKind = (typeof MOUNT_KINDS)[number];

/** Steps at which native code can fail, each with the words that go on after "could not". */
export const STAGES = [
  ['none', "none"],
  ['message', "read a message"],
  ['helper', "start the helper"],
  ['namespaces', "make the engine's namespaces"],
  ['idMap', "write the user and group maps"],
  ['privateMounts', "make the mount tree private"],
  ['root', "mount the root"],
  ['mountRow', "apply a row of the mount table"],
  ['device', "make a device node"],
  ['pivot', "enter the new root"],
  ['hostname', "set the host name"],
  ['slotClone', "clone the keeper of a slot"],
  ['network', "make the network namespace"],
  ['identity', "take the sandbox's user"],
  ['capabilities', "drop capabilities"],
  ['cgroupJoin', "join a cgroup"],
  ['initClone', "clone the init of a sandbox"],
  ['cgroupNamespace', "make the cgroup namespace"],
  ['loopback', "bring the loopback interface up"],
  ['workspace', "mount the work folder"],
  ['scratch', "mount a private file system"],
  ['proc', "mount /proc"],
  ['pts', "mount /dev/pts"],
  ['seccomp', "load the system call filter"],
  ['ready', "report ready"],
  ['plan', "read the plan of a program"],
  ['cgroupWrite', "write a cgroup limit"],
  ['mask', "keep a path of maskPaths covered"],
  ['terminal', "open a terminal"],
  ['input', "make a file for input"],
  ['output', "make a file for output"],
  ['descriptors', "place the descriptors"],
  ['rlimits', "set a resource limit"],
  ['programIdentity', "take the program's user"],
  ['workingFolder', "enter the working folder"],
  ['programClone', "clone the program's process"],
  ['coreScheduling', "get a core scheduling cookie"],
  ['landlock', "make or enter the Landlock domain"],
  ['policy', "load the caller's system call filter"],
  ['exec', "execute the program"],
] as const;
/** A step at which native code can fail. */
export type Stage = (typeof STAGES)[number][0];

/** Numbers of messages. */
export const KIND = {
  template: 1,
  newSlot: 2,
  groups: 3,
  prepare: 4,
  start: 5,
  signal: 6,
  activate: 7,
  makeSocket: 8,
  ready: 64,
  failed: 65,
  started: 66,
  ended: 67,
  socket: 68,
} as const;

/** Init keeps /dev/null for it; no descriptor is sent. */
export const FD_NULL = 1;
/** Init keeps its copy until the program's end, so a captured pipe shows its end of file only with the report. */
export const FD_HOLD = 2;
/** One of the start's outputs; no descriptor is sent. */
export const FD_OUTPUT = 4;
/** One of the start's contents; no descriptor is sent. */
export const FD_CONTENT = 8;
