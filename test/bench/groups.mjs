/**
 * Lines to and fro between two programs, as interactors and contestants talk: 20 000 rounds through kernel
 * pipes, through relays and through recording relays, next to the same two programs unconfined, joined by
 * named pipes. They take turns.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { buildPrograms } from '../programs/build.mjs';
import { figure, ratioOf } from './lib/figures.mjs';
import { p50 } from './lib/stats.mjs';
import { settle, timed } from './lib/wait.mjs';

export const title = '20 000 lines to and fro between two programs of a group';

const LINES = 20_000;
const ROUNDS = 10;
const RECORDED = { record: { maxBytes: 2 ** 20 } };
const KINDS = { direct: {}, relayed: { relay: true }, recorded: RECORDED };

/** Reads descriptor 3, writes descriptor 4: a line each way per round. */
const PYTHON = `
import os, sys
first, lines, read, write = sys.argv[1] == 'first', int(sys.argv[2]), os.fdopen(3), os.fdopen(4, 'w')
for i in range(lines):
    if first: print(i, file=write, flush=True)
    line = read.readline()
    if not first: write.write(line); write.flush()
`;

/** language → command of a side. */
const pairs = (folder, lines) => ({
  c: (side) => [`${folder}/talk`, `${lines}`, side],
  python: (side) => ['/usr/bin/python3', '-c', PYTHON, side, `${lines}`],
});

async function inGroup(engine, command, kind) {
  const programs = ['first', 'second'].map((side) => {
    const [file, ...args] = command(side);
    return { file, args, limits: { cpuTimeMs: null, wallTimeMs: null } };
  });
  const pipe = (from, to) => ({ from: { index: from, fd: 4 }, to: { index: to, fd: 3 }, ...KINDS[kind] });
  const { results } = await engine.runGroup({ programs, pipes: [pipe(0, 1), pipe(1, 0)] });
  for (const { status } of results) if (status !== 'ok') throw new Error(`a program ended with ${status}`);
}

const quoted = (words) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/** Opened for reading and writing, so that neither waits for the other to open. */
async function bare(command, cwd) {
  const first = `${quoted(command('first'))} 3<>b 4<>a`;
  const second = `${quoted(command('second'))} 3<>a 4<>b`;
  await promisify(execFile)('/bin/sh', ['-c', `rm -f a b; mkfifo a b; ${first} & ${second}; wait`], { cwd });
}

async function measureLanguage(engine, inside, outside, options) {
  const { cwd, rounds } = options;
  const times = { bare: [], direct: [], relayed: [], recorded: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(times)) {
      await settle(engine, 5);
      const run = name === 'bare' ? () => bare(outside, cwd) : () => inGroup(engine, inside, name);
      times[name].push(await timed(run));
    }
  }
  return times;
}

function figuresOf(language, { bare: below, ...ours }) {
  return [
    figure({ name: `${language}_bare_ms`, unit: 'ms', samples: below }),
    ...Object.entries(ours).flatMap(([kind, above]) => [
      figure({ name: `${language}_${kind}_ms`, unit: 'ms', samples: above }),
      ratioOf(p50, { name: `${language}_${kind}_over_bare_p50`, above, below }),
    ]),
  ];
}

export async function measure({ scale }) {
  const built = buildPrograms();
  const programs = { kind: 'bind', source: built, target: '/t', executable: true };
  const engine = await Engine.open({ mounts: [...DEFAULT_MOUNTS, programs] });
  const cwd = mkdtempSync(join(tmpdir(), 'sbx-bench-'));
  const lines = LINES * scale;
  const figures = [];
  try {
    for (const language of ['c', 'python']) {
      const options = { cwd, rounds: ROUNDS };
      const inside = pairs('/t', lines)[language];
      const outside = pairs(built, lines)[language];
      figures.push(...figuresOf(language, await measureLanguage(engine, inside, outside, options)));
    }
  } finally {
    await engine.close();
    rmSync(cwd, { recursive: true });
  }
  return figures;
}
