// How long things may be, and what may be longer.

export const FILE_LINES_MAX = 300;
/** Tests are lists of cases: longer, but read a case at a time. */
export const TEST_FILE_LINES_MAX = 500;
export const FUNCTION_LINES_MAX = 70;

/** Files that may pass FILE_LINES_MAX, with the reason. */
export const LONG_FILES: Record<string, string> = {
  'native/plan/seccomp.cc': 'a table: every refused system call, and its compiler',
  'packages/core/src/native/records.ts': 'made from the tables of native/protocol',
};

export const PARAMETERS_MAX = 4;

/**
 * Native functions with more parameters: those that are a system call have its own, the others are to become
 * fewer.
 */
export const NATIVE_WITH_MORE_PARAMETERS: readonly string[] = [
  'native/addon/open_below.cc OpenBelow',
  'native/addon/open_below.h OpenBelow',
  'native/common/channel.cc Receive',
  'native/common/channel.cc Send',
  'native/common/channel.cc SendParts',
  'native/common/channel.h Receive',
  'native/common/raw_syscall.h RawClone',
  'native/common/raw_syscall.h RawSyscall',
  'native/fuzz/helper.cc Row',
  'native/fuzz/kernel.cc RawClone',
  'native/fuzz/kernel.cc RawSyscall',
  'native/helper/launch.cc LaunchProgram',
  'native/helper/launch.h LaunchProgram',
  'native/helper/launch.h ParseStart',
  'native/helper/launch_message.cc ParseStart',
  'native/helper/made_files.cc MakeOutput',
  'native/helper/setup.cc MountOwnFolder',
  'native/helper/starting.cc Take',
  'native/test/test.h ExpectEqual',
];
