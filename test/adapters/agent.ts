// An agent with a scripted model: what each framework's loop comes to, over the tools that an adapter gives
// it.
import { expect } from 'vitest';

export interface Tools {
  write(path: string, text: string): Promise<unknown>;
  read(path: string): Promise<string>;
  run(line: string): Promise<{ exitCode: number; output: string }>;
}

/** Turns of the model: each sees what the tool before has answered. */
const TURNS: readonly ((tools: Tools, seen: string) => Promise<string>)[] = [
  async ({ write }) => `${await write('/w/main.py', 'print(total(1, 2)\n')}`,
  async ({ run }) => {
    const { exitCode, output } = await run('python main.py');
    return `${exitCode} ${output}`;
  },
  async ({ write }, seen) => {
    expect(seen).toMatch(/^1 [\s\S]*SyntaxError/);
    return `${await write('/w/main.py', 'def total(*all): return sum(all)\nopen("result.txt", "w").write(str(total(1, 2)))\n')}`;
  },
  async ({ run }) => `${(await run('cd /w && python3 main.py')).exitCode}`,
  async ({ read }, seen) => {
    expect(seen).toBe('0');
    return read('/w/result.txt');
  },
];

/** It writes a program, runs it, sees it fail, mends it and reads the result. */
export async function workingAgent(tools: Tools): Promise<string> {
  let seen = '';
  for (const turn of TURNS) seen = await turn(tools, seen);
  return seen;
}

export const HOSTILE = [
  ['a fork bomb', 'f() { f | f & }; f; wait'],
  ['a flood', 'yes | head -c 200000000'],
  ['a 10 GB file', 'head -c 10000000000 /dev/zero > big; rm -f big'],
  ['the network', 'exec 3<>/dev/tcp/1.1.1.1/80'],
  ['a busy loop', 'while :; do :; done'],
  ['memory', 'python3 -c "x = bytearray(10 ** 11)"'],
] as const;

/** Whatever the model asks for, the loop goes on and the next command works. */
export async function hostileAgent(tools: Tools): Promise<void> {
  for (const [what, line] of HOSTILE) {
    const { output } = await tools.run(line);
    expect(output.length, what).toBeLessThan(3 * 2 ** 20);
    const next = await tools.run('echo alive');
    expect([what, next.exitCode, next.output]).toEqual([what, 0, 'alive\n']);
  }
}

/** For sandboxes that hostile agents get. */
export const HOSTILE_LIMITS = { wallTimeMs: 2000, cpuTimeMs: 1000, processCount: 30 };
