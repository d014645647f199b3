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
