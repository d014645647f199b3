/**
 * Z9: the kernel's log. A hostile program may make the kernel report about that program (out of memory in its
 * group, its crash, forks refused); anything else that appears is a finding.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';

/** One-line reports about the program itself. */
const HARMLESS = [
  /^cgroup: fork rejected by pids controller in /,
  /^oom_reaper: /,
  /\[\d+\]: segfault at /,
  /^traps: .*\[\d+\] (trap|general protection)/,
  /^Code: /,
  /^audit: type=1326 /, // a program that the system call filter killed
  /^__vm_enough_memory: pid: /, // it asked for more than the machine could ever give
  /^coredump: .*RLIMIT_CORE is set to 1, aborting core/,
  /^(Process \d+\(.*\) has RLIMIT_CORE set to 1|Aborting core)$/, // the same, as older kernels word it
  /callbacks suppressed$/,
  /^potentially unexpected fatal signal /,
  /^VFS: Mount too revealing/, // an engine's own question, when it opens
  /^hrtimer: interrupt took /, // of an emulated machine
  // Kernels say so once: the file systems' own clock, and programs that ask for 32-bit or long gone things.
  /^evm: overlay not supported/, // the guest's root, the first time that something is written there
  /supports timestamps until/,
  /^mmap: .* \(\d+\): VmData \d+ exceed data ulimit \d+\./, // a program with a small RLIMIT_DATA
  /^kmem\.tcp\.limit_in_bytes is deprecated/,
  // Debian's, at the first program that waits in standby.
  /: Using fanotify permission checks may lead to deadlock/,
  /^tainting kernel$/,
  /process '.*' started with executable stack/,
  /^warning: `.*' uses /,
];
const REPORT_STARTS = / invoked oom-killer: /;
const REPORT_ENDS = /^Memory cgroup out of memory: |^Out of memory and no killable processes/;
/** Lines of a report's body, for when several at once are torn apart. */
const REPORT_BODY = [
  /^\[ *\d+\] +\d+ /,
  /^\[ +pid +\]/,
  /^(oom-kill:constraint=CONSTRAINT_MEMCG|Tasks state|Memory cgroup stats|Call Trace|Hardware name|Code:)/,
  /^(memory|memory\+swap|swap|kmem): usage /,
  /^CPU: \d+ .*Comm: /,
  /^<\/?TASK>|^(RIP|RSP|RAX|RDX|RBP|R10|R13|CS|FS|DR0): /,
  /^(\? )?[\w.]+\+0x[0-9a-f]+\/0x/,
  /^\w+ \d+$/,
];
const HOST_OUT_OF_MEMORY = /^Out of memory: |constraint=CONSTRAINT_NONE/;

/**
 * Lines that are neither inside a report of a group's end of memory nor harmless. Reports of several may be
 * mixed.
 */
export function unexpectedLines(lines) {
  let reports = 0;
  const harmless = lines.some((line) => REPORT_STARTS.test(line)) ? [...HARMLESS, ...REPORT_BODY] : HARMLESS;
  return lines.filter((line) => {
    if (HOST_OUT_OF_MEMORY.test(line)) return true;
    if (REPORT_STARTS.test(line)) reports += 1;
    const isReported = reports > 0;
    // The kernel leaves out the body of reports that come too fast, but not their end.
    if (REPORT_ENDS.test(line)) reports = Math.max(0, reports - 1);
    return !isReported && !REPORT_ENDS.test(line) && !harmless.some((pattern) => pattern.test(line));
  });
}

/** Reads what was logged since the last call. Without the right to read it, `available` is false. */
export class KernelLog {
  #fd = null;
  #buffer = Buffer.alloc(8192);

  constructor() {
    try {
      this.#fd = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK);
      this.read();
    } catch {
      this.#fd = null;
    }
  }

  get available() {
    return this.#fd !== null;
  }

  read() {
    const lines = [];
    while (this.#fd !== null) {
      const record = this.#next();
      if (record === null) break;
      // "priority,sequence,time,flags;text", then lines of keys that begin with a space.
      const text = record.slice(record.indexOf(';') + 1).split('\n')[0] ?? '';
      lines.push(text.trim());
    }
    return lines;
  }

  #next() {
    try {
      const length = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, null);
      return length === 0 ? null : this.#buffer.toString('utf8', 0, length);
    } catch (error) {
      if (error.code === 'EPIPE') return ';callbacks suppressed'; // overwritten before we read it
      if (error.code === 'EAGAIN') return null;
      throw error;
    }
  }

  close() {
    if (this.#fd !== null) closeSync(this.#fd);
  }
}
