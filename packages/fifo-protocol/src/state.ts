/**
 * Line 3: what becomes of the program, in words that clients print behind a message of their own, in
 * parentheses.
 */

/** How it stands with the program. */
export type ProcessState =
  /** The directory is ready and the program is not yet. */
  | { kind: 'starting' }
  | { kind: 'running' }
  /** By itself. */
  | { kind: 'exited'; exitStatus: number }
  /** Ended by a signal, its own, another's, or that of a limit. */
  | { kind: 'interrupted'; signal: number }
  /** Ended by the manager, since it did not leave within the grace after the last call. */
  | { kind: 'forced' }
  | { kind: 'not-started' }
  /** The sandbox itself failed: the program is gone and nobody knows how. */
  | { kind: 'lost' };

/** Line 3, taken apart. */
export interface ProcessStatus {
  /** `null` for words that are not ours. */
  state: ProcessState | null;
  /** What stands behind semicolons: limits exceeded, reasons, complaints. */
  remarks: readonly string[];
}

type StateOf<Kind extends ProcessState['kind']> = Extract<ProcessState, { kind: Kind }>;

interface Row<State> {
  write: (state: State) => string;
  read: RegExp;
  make: (numbers: readonly number[]) => State;
}

/** The wording. The first and the fourth are the protocol's own examples and stay to the letter. */
const WORDING: { readonly [Kind in ProcessState['kind']]: Row<StateOf<Kind>> } = {
  running: {
    write: () => 'process running normally',
    read: /^process running normally$/,
    make: () => ({ kind: 'running' }),
  },
  exited: {
    write: ({ exitStatus }) =>
      exitStatus === 0 ? 'process terminated normally' : `process terminated with exit status ${exitStatus}`,
    read: /^process terminated (?:normally|with exit status (\d{1,3}))$/,
    make: ([exitStatus]) => ({ kind: 'exited', exitStatus: exitStatus ?? 0 }),
  },
  interrupted: {
    write: ({ signal }) => `process interrupted by signal ${signal}`,
    read: /^process interrupted by signal (\d{1,3})$/,
    make: ([signal]) => ({ kind: 'interrupted', signal: signal ?? 0 }),
  },
  forced: {
    write: () => 'process killed (forced termination)',
    read: /^process killed \(forced termination\)$/,
    make: () => ({ kind: 'forced' }),
  },
  'not-started': {
    write: () => 'process not started',
    read: /^process not started$/,
    make: () => ({ kind: 'not-started' }),
  },
  starting: {
    write: () => 'process starting',
    read: /^process starting$/,
    make: () => ({ kind: 'starting' }),
  },
  lost: { write: () => 'process lost', read: /^process lost$/, make: () => ({ kind: 'lost' }) },
};

/** Why the sandbox ended a program, by the status of its result: what follows the semicolon. */
export const STATUS_REMARKS: Readonly<Record<string, string>> = {
  'cpu-limit': 'cpu time limit exceeded',
  'wall-limit': 'wall time limit exceeded',
  'memory-limit': 'memory limit exceeded',
  'output-limit': 'output limit exceeded',
  'forbidden-syscall': 'forbidden system call',
};

/** The line for a state, with remarks behind semicolons. */
export function describeState(state: ProcessState, remarks: readonly string[] = []): string {
  const row = WORDING[state.kind] as Row<ProcessState>;
  return [row.write(state), ...remarks].join('; ');
}

/** The state in a line. Lenient: the line is meant for people, and another manager may use other words. */
export function parseStatus(line: string): ProcessStatus {
  const [words = '', ...remarks] = line.trim().split('; ');
  for (const { read, make } of Object.values(WORDING) as Row<ProcessState>[]) {
    const match = read.exec(words);
    if (match === null) continue;
    const numbers = match.slice(1).filter((text) => text !== undefined);
    return { state: make(numbers.map(Number)), remarks };
  }
  return { state: null, remarks };
}
