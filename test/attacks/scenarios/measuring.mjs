// Group D: attacks that need a large host, a cold file, or two steps.
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MiB } from '../harness/conditions.mjs';
import { memoryWithin, withinLimits } from '../harness/expectations.mjs';

/**
 * What a child inherits of its parent's figures must not count. In this process for core; a server is what it
 * is.
 */
export async function besideLargeHost(context) {
  const ballast = context.target.pid === process.pid ? Buffer.alloc(500 * MiB, 1) : null;
  const problems = await context.check({ argv: ['/bin/true'], quiet: true, says: memoryWithin(5) });
  context.note(`${(ballast?.length ?? 0) / MiB} MiB in the host`);
  return problems;
}

const TABLE = `
constexpr int N = 1 << 20;
struct T { int at[N]; constexpr T() : at() { for (int i = 0; i < N; i++) at[i] = i * i; } };
constexpr T table; int main(int n, char**) { return table.at[n]; }
`;

/** Both steps are runs with limits of their own. */
export async function compileHeavily(context) {
  const flags = '-fconstexpr-ops-limit=2147483647 -fconstexpr-loop-limit=2147483647';
  const table = await context.check({
    title: 'a table made by the compiler',
    sh: `g++ ${flags} a.cc -o out`,
    files: { 'a.cc': TABLE },
    quiet: true,
    verdicts: ['TLE', 'MLE', 'NZ'],
    says: withinLimits,
  });
  const large = await context.check({
    title: 'a binary of 20 MiB',
    sh: 'gcc a.c -o out && ls -l out && echo done',
    files: { 'a.c': 'char a[20 << 20] = {1};\nint main(){return a[5];}\n' },
    copyOut: ['out'],
    limits: { cpuMs: 5000, wallMs: 10_000, memoryBytes: 256 * MiB },
    verdicts: ['FE'],
  });
  return [...table, ...large];
}

function writeLarge(path) {
  const fd = openSync(path, 'w', 0o644);
  const block = Buffer.alloc(MiB, 1);
  for (let count = 0; count < 200; count += 1) writeSync(fd, block);
  fdatasyncSync(fd);
  closeSync(fd);
}

export const coldFiles = (cases) => async (context) => {
  const { world } = context;
  const large = join(world.shown, 'large');
  writeLarge(large);
  // Out of the page cache, so that the run is the first to read it.
  execFileSync('dd', [`of=${large}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], {
    stdio: 'ignore',
  });
  try {
    const problems = [];
    for (const one of cases) problems.push(...(await context.check(one)));
    return problems;
  } finally {
    rmSync(large);
    rmSync(join(world.disk, 'large'), { force: true });
  }
};
