/** Names that people bring from `child_process`, go-judge, isolate and E2B, with what to write here. */

function all(names: readonly string[], hint: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, hint]));
}

/** Of `limits`. */
export const LIMIT_HINTS: Readonly<Record<string, string>> = {
  ...all(['timeout', 'timeoutMs'], 'Give wallTimeMs (real time) or cpuTimeMs (time on the CPU).'),
  ...all(
    ['timeMs', 'time', 'timeLimit', 'timeLimitMs', 'extraTime'],
    'Give cpuTimeMs (time on the CPU) or wallTimeMs (real time).',
  ),
  ...all(['cpu', 'cpuMs', 'cpuLimit'], 'Give cpuTimeMs, or cpuRate for a share of the CPUs.'),
  ...all(['realTime', 'clockLimit', 'wallLimit'], 'Give wallTimeMs.'),
  ...all(
    ['memoryMb', 'memoryMB', 'memoryMiB', 'memoryLimit', 'memLimit'],
    'Give memoryBytes: 256 * 2 ** 20 is 256 MiB.',
  ),
  ...all(
    ['pids', 'procLimit', 'processes', 'maxProcesses', 'threads'],
    'Give processCount; threads count as well.',
  ),
  ...all(['outputLimit', 'maxOutput', 'maxBuffer'], 'Give outputBytes, of what is captured.'),
  ...all(['fileSize', 'fsize'], 'Give fileBytes.'),
  ...all(['openFiles', 'nofile'], 'Give openFileCount.'),
  ...all(['disk', 'diskSize'], 'Give diskBytes.'),
  stackLimit: 'Give stackBytes.',
};

/** What an engine has, and neither programs nor sandboxes. */
const ENGINE_NAMES = [
  ...['mounts', 'toolchains', 'root', 'maskPaths', 'proc', 'hostname', 'domainname', 'umask'],
  ...['parallelism', 'maxSandboxes', 'queueLength', 'readyCount', 'pinning', 'coreScheduling'],
  ...['require', 'ceilings', 'cgroup', 'landlock', 'allowSyscalls', 'insideUid', 'uidBase'],
];
const OF_THE_ENGINE = all(ENGINE_NAMES, 'Give it to Engine.open, and that engine here as engine.');

/** What a standing sandbox has once and for all; programs in it have it from there. */
const OF_THE_SANDBOX: Readonly<Record<string, string>> = {
  ...all(ENGINE_NAMES, 'Give it to Engine.open, and that engine to Sandbox.create.'),
  ...all(
    ['network', 'seccomp', 'seccompAction', 'workspace', 'lifetimeMs', 'engine'],
    'It belongs to the sandbox: give it to Sandbox.create.',
  ),
};

const STARTED = 'It needs no option: spawn returns once the program executes, and leaves it running.';

/** Of one program, and of a sandbox. */
const COMMON_HINTS: Readonly<Record<string, string>> = {
  ...OF_THE_ENGINE,
  ...all(
    ['envs', 'envVars', 'environment'],
    'Give env, which replaces the default one: env: { ...DEFAULT_ENV, KEY: value }.',
  ),
  ...all(
    ['allowInternetAccess', 'allowNet', 'internet'],
    "No option leads outside: network: 'loopback' is 127.0.0.1 within the sandbox.",
  ),
  ...all(['uid', 'user'], 'Programs run under an account of their own; it cannot be chosen.'),
  shell: "There is no shell: run '/bin/sh' with ['-c', line], or use the sh template of a sandbox.",
  maxBuffer: 'Give limits: { outputBytes }.',
  encoding: 'Output has bytes and text().',
  copyIn: 'Give files: { path: content }.',
};

/** Of what starts a program, `runCode` of @sbx/languages included. */
export const PROGRAM_HINTS: Readonly<Record<string, string>> = {
  ...COMMON_HINTS,
  ...all(
    ['timeout', 'timeoutMs'],
    'Give limits: { wallTimeMs } (real time) or { cpuTimeMs } (time on the CPU).',
  ),
  ...all(['stdinFile', 'stdoutFile'], 'Give { file: path } as stdin, stdout or stderr.'),
  input: 'Give stdin: { text } or { bytes }.',
  stdio: 'Give stdin, stdout, stderr and fds.',
  args: 'Arguments come second: (file, args, options).',
};

/** Of `run` and `spawn` in a fresh sandbox. */
export const CALL_HINTS: Readonly<Record<string, string>> = {
  ...PROGRAM_HINTS,
  ...all(['workdir', 'workDir', 'workingDirectory'], 'Give cwd.'),
  ...all(['background', 'detached'], STARTED),
  ...all(['workspace', 'lifetimeMs'], 'It is for a sandbox that stays: give it to Sandbox.create.'),
};

/** Of `sandbox.run`. */
export const RUN_HINTS: Readonly<Record<string, string>> = { ...CALL_HINTS, ...OF_THE_SANDBOX };

/** Of `sandbox.spawn`. */
export const SPAWN_HINTS: Readonly<Record<string, string>> = {
  ...RUN_HINTS,
  files: 'spawn takes no files: write them with sandbox.writeFiles first.',
  copyOut: 'spawn takes no files out: read them with sandbox.readFile afterwards.',
  onStdout: "Give stdout: 'pipe' and read process.stdout.",
  onStderr: "Give stderr: 'pipe' and read process.stderr.",
};

const LIFETIME_HINT =
  'lifetimeMs closes the sandbox by itself; limits: { wallTimeMs } bounds each program in it by real time.';

/** Of `Sandbox.create`. */
export const CREATE_HINTS: Readonly<Record<string, string>> = {
  ...COMMON_HINTS,
  ...all(['timeout', 'timeoutMs', 'lifetime', 'idleTimeout'], LIFETIME_HINT),
  ...all(['cwd', 'workdir'], 'Give cwd to run or spawn.'),
  ...all(
    ['template', 'image'],
    'Give files or workspace; programs are those of the host’s /usr, and of the engine’s toolchains and mounts.',
  ),
  input: 'Give stdin to run or spawn.',
  stdio: 'Give stdin, stdout, stderr and fds to run or spawn.',
  args: 'Programs are given to run or spawn.',
};
