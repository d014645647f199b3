// JavaScript is `oom` when plain Node in a cgroup of the same size runs out of memory, and not before.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FathomClient } from '@sbx/fathom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeGroups } from '../helpers/groups.js';
import { useServer } from './server.js';

const MB = 2 ** 20;
const LIMITS_MB = [128, 256, 512, 1024];

/**
 * Allocation patterns. `M`: the limit in MiB. Those that stay alive are far from the edges: one makes too
 * much, or far too little.
 */
const PATTERNS: Record<string, string> = {
  'arrays of 1 MiB, none kept': 'for (let i = 0; i < 80; i++) new Array(131072).fill(i)',
  'arrays of 1 MiB, many': 'for (let i = 0; i < 2 * M; i++) new Array(131072).fill(i)',
  'buffers of 1 MiB': 'for (let i = 0; i < 3 * M; i++) Buffer.alloc(1 << 20, 1)',
  'typed arrays': 'for (let i = 0; i < 3 * M; i++) new Float64Array(131072).fill(i)',
  'small buffers': 'for (let i = 0; i < 40 * M; i++) Buffer.allocUnsafe(8192).fill(1)',
  'objects, none kept': 'for (let i = 0; i < 12000 * M; i++) globalThis.x = { i, next: null }',
  'objects, an eighth kept':
    'const k = []; for (let i = 0; i < 800 * M; i++) k[i % (400 * (M >> 1))] = { i, a: [i, i] }',
  strings: 'let n = 0; for (let i = 0; i < 300 * M; i++) n += ("x".repeat(2000) + i).charCodeAt(i % 2000)',
  'a string that grows':
    'for (let r = 0; r < 20; r++) { let s = ""; for (let i = 0; i < 1000 * (M >> 4); i++) s += "0123456789"; s.charCodeAt(3) }',
  JSON: 'const o = { l: Array.from({ length: 50 * (M >> 2) }, (_, i) => ({ i, s: "abc" + i })) }; for (let i = 0; i < 30; i++) JSON.parse(JSON.stringify(o))',
  maps: 'for (let r = 0; r < 20; r++) { const m = new Map(); for (let i = 0; i < 100 * (M >> 1); i++) m.set("k" + i, { i }) }',
  sets: 'for (let r = 0; r < 20; r++) { const s = new Set(); for (let i = 0; i < 200 * (M >> 1); i++) s.add(i * 1.5) }',
  closures: 'let f = () => 0; for (let i = 0; i < 3000 * M; i++) { const a = [i]; f = () => a[0] } f()',
  promises: '(async () => { for (let i = 0; i < 2000 * M; i++) await i })()',
  trees:
    'const t = (d) => (d === 0 ? null : { l: t(d - 1), r: t(d - 1) }); for (let i = 0; i < M >> 2; i++) t(14)',
  concat:
    'let a = []; for (let i = 0; i < 400; i++) { a = a.concat(new Array(8 * M).fill(i)); if (a.length > 256 * M) a = [] }',
  'buffers, twice the limit kept':
    'const k = []; for (let i = 0; i < 2 * M; i++) k.push(Buffer.alloc(1 << 20, 1))',
  'objects without end': 'const k = []; for (;;) k.push({ a: new Array(10_000).fill({}) })',
  'strings without end': 'const k = []; for (;;) k.push(Buffer.alloc(100_000, 97).toString("latin1"))',
  'a map without end': 'const m = new Map(); for (let i = 0; ; i++) m.set(i, new Array(1000).fill(i))',
};

const served = useServer({ parallelism: 2, standby: { javascript: 1 } });
const folder = mkdtempSync(join(tmpdir(), 'sbx-plain-node-'));
const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
const root = isV2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory';
let client: FathomClient;
beforeAll(() => {
  client = new FathomClient({ url: served.url });
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

/** `ok`, or `oom`: ended by the kernel or by V8 for want of memory. */
async function plainNode(code: string, limitMb: number, name: string): Promise<string> {
  const group = join(root, `sbx-plain-node-${process.pid}-${name}`);
  mkdirSync(group);
  const file = join(folder, `${name}.js`);
  writeFileSync(file, code);
  writeFileSync(join(group, isV2 ? 'memory.max' : 'memory.limit_in_bytes'), String(limitMb * MB));
  const swap = join(group, isV2 ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes');
  if (existsSync(swap)) writeFileSync(swap, isV2 ? '0' : String(limitMb * MB));
  try {
    return await new Promise((resolve) => {
      const script = 'echo $$ > "$1/cgroup.procs" && exec /usr/bin/node "$2"';
      execFile('/bin/sh', ['-c', script, 'sh', group, file], { env: { PATH: '/usr/bin' } }, (error) => {
        const isKilled = error?.signal === 'SIGKILL' || error?.signal === 'SIGABRT';
        resolve(error === null ? 'ok' : isKilled ? 'oom' : `failed: ${error.message}`);
      });
    });
  } finally {
    await removeGroups([group]);
  }
}

async function servedNode(code: string, limitMb: number): Promise<string> {
  const limits = { memoryBytes: limitMb * MB, timeoutMs: 120_000 };
  const { status, stderr } = await client.execute({ language: 'javascript', code, limits });
  if (status === 'completed') return 'ok';
  return status === 'oom' ? 'oom' : `${status}: ${stderr.slice(0, 300)}`;
}

describe.each(LIMITS_MB)('%i MiB', (limitMb) => {
  test.each(Object.entries(PATTERNS))('%s', { timeout: 240_000 }, async (name, pattern) => {
    const code = `const M = ${limitMb};\n${pattern}`;
    const here = await servedNode(code, limitMb);
    const there = await plainNode(code, limitMb, name.replace(/\W/g, '-'));
    expect(here).toBe(there);
  });
});
