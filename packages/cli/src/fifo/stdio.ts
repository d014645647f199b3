/** Our own stdin, stdout and stderr for a managed program. */
import type { OutputStream, Process } from '@sbx/core';
import { type HostInput, hostInput } from '../run/host-input.js';
import { writeTo } from '../run/write.js';

/** stderr always; stdin and stdout unless they are pipes of the directory. Gives what stops it. */
export function passStdio(program: Process, hasPipes: boolean): () => void {
  void drain(program.stderr!, process.stderr);
  if (hasPipes) return () => undefined;
  void drain(program.stdout!, process.stdout);
  const input = hostInput();
  void feed(program, input);
  return () => input.stop();
}

/** Where nobody takes it any more, the program writes to nobody, as to a pipe without a reader. */
async function drain(from: OutputStream, to: NodeJS.WriteStream): Promise<void> {
  const write = writeTo(to);
  try {
    for await (const chunk of from) await write(chunk);
  } catch {
    from.destroy();
  }
}

/** A program may end, or stop reading, before its input does. */
async function feed(program: Process, input: HostInput): Promise<void> {
  try {
    for await (const chunk of input) await program.stdin!.write(chunk);
    await program.stdin!.end();
  } catch {
    input.stop();
  }
}
