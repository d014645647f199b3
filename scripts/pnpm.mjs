// `npm run pnpm -- ARGS`: the pinned pnpm, to change dependencies with. No set-up before it: that would
// refuse a manifest which the lockfile does not match yet.
import { existsSync } from 'node:fs';
import { fetchPnpm, pnpmFile } from './lib/pnpm.mjs';
import { handOver } from './lib/run.mjs';

if (!existsSync(pnpmFile)) await fetchPnpm();
await handOver(process.execPath, [pnpmFile, ...process.argv.slice(2)]);
