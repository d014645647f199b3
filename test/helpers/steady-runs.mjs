/**
 * Many runs in a row in a process of its own, so that the test runner's memory is not measured. Arguments:
 * mounts as JSON, runs. Prints { rss: bytes per sample, descriptors: count per sample, failures }.
 */
import { readdirSync } from 'node:fs';
import { Engine } from '@sbx/core';

const [mounts, total] = [JSON.parse(process.argv[2]), Number(process.argv[3])];
const samples = 10;
const parallelism = 2;
const limits = {
  cpuTimeMs: 1000,
  wallTimeMs: 5000,
  memoryBytes: 2 ** 26,
  processCount: 16,
  outputBytes: 65536,
};

const engine = await Engine.open({ mounts, parallelism });
const rss = [];
const descriptors = [];
let failures = 0;

async function loop(runs) {
  for (let i = 0; i < runs; i++) if (!(await engine.run('/t/true', [], { limits })).ok) failures++;
}

for (let sample = 0; sample < samples; sample++) {
  await Promise.all(Array.from({ length: parallelism }, () => loop(total / samples / parallelism)));
  globalThis.gc();
  rss.push(process.memoryUsage.rss());
  descriptors.push(readdirSync('/proc/self/fd').length);
}
await engine.close();
process.stdout.write(JSON.stringify({ rss, descriptors, failures }));
