/** Names of the pipes in a process's directory. */

/** The pipe that requests are written to. */
export const WAIT_PIPE = 'wait';
/** The pipe that replies are read from. */
export const STATUS_PIPE = 'status';
/** Symbolic links beside the two pipes, for those who know them by these names: link → pipe. */
export const PIPE_ALIASES: Readonly<Record<string, string>> = {
  'wait.pipe': WAIT_PIPE,
  'status.pipe': STATUS_PIPE,
};
/** A link that is there while a manager makes the pipes: of two that start at once one alone can make it. */
export const CLAIM = 'starting';
/** The program's stdin, where it is offered as a pipe. */
export const DOWNWARD_PIPE = 'downward';
/** The program's stdout, where it is offered as a pipe. */
export const UPWARD_PIPE = 'upward';
