/**
 * Fathom: from sending `execute` to the first byte of stdout and to the result, for interpreters that waited
 * and for ordinary starts, beside a bare `child_process.spawn` of the same interpreter, in turn; many at
 * once; and how fast output streams to one client. The server is a process of its own, as users start it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_ENV } from '@sbx/core';
import { FathomTalk } from './lib/fathom-talk.mjs';
import { figure } from './lib/figures.mjs';
import { p50 } from './lib/stats.mjs';
import { sleep } from './lib/wait.mjs';

export const title = 'Fathom: first byte, result, many at once, streaming';

const SAMPLES = 40;
/** Elixir takes a third of a second to start. */
const SAMPLES_SLOW = 12;
const ROUNDS = 3;
const STREAM_BYTES = 64 * 2 ** 20;
const STREAM_ROUNDS = 5;
const BAR_STREAM_MIB = 100;
const BAR_COLD = 1.15;

/** How each is started bare, and what standby must reach of that. */
const LANGUAGES = {
  python: { file: 'python3', name: 'main.py', code: 'print("x")', bar: 0.25, samples: SAMPLES },
  javascript: { file: 'node', name: 'main.js', code: 'console.log("x")', bar: 0.25, samples: SAMPLES },
  shell: { file: 'bash', name: 'main.sh', code: 'echo x', bar: null, samples: SAMPLES },
  elixir: { file: 'elixir', name: 'main.exs', code: 'IO.puts("x")', bar: 0.1, samples: SAMPLES_SLOW },
};

/** A server in a process of its own. */
async function startServer(standby, more = []) {
  const bin = fileURLToPath(new URL('../../packages/cli/bin/sbx.mjs', import.meta.url));
  const args = [bin, 'serve', 'fathom', '--port', '0', '--json', '--standby', standby, ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.trimEnd().endsWith('}')) break;
  }
  const talk = await FathomTalk.open(JSON.parse(text).urls[0]);
  return {
    talk,
    close: () => {
      talk.close();
      child.kill('SIGTERM');
      return new Promise((resolve) => child.once('close', resolve));
    },
  };
}

/**
 * Node's own way, the script in a file: to the first byte, and until all is closed. The same interpreter: by
 * the same PATH.
 */
function bareRun(file, path) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(file, [path], { stdio: ['pipe', 'pipe', 'pipe'], env: DEFAULT_ENV });
    let first = 0;
    child.stdin.end();
    child.stdout.on('data', () => {
      first ||= performance.now() - start;
    });
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve({ first, end: performance.now() - start }));
  });
}

/** Standby, cold and bare in turn, so that the machine's moods fall on all. */
async function compare(language, servers, folder, scale) {
  const { file, name, code, bar, samples } = LANGUAGES[language];
  const path = join(folder, name);
  writeFileSync(path, code);
  const ways = {
    standby: () => servers.standby.talk.timed({ language, code }),
    cold: () => servers.cold.talk.timed({ language, code }),
    bare: () => bareRun(file, path),
  };
  const seen = { standby: [], cold: [], bare: [] };
  for (const way of Object.values(ways)) await way();
  for (let round = 0; round < Math.max(3, samples * scale); round += 1) {
    for (const [way, run] of Object.entries(ways)) {
      // Off the path, as the refill is: what a started interpreter cost must not fall on the next.
      await sleep(language === 'elixir' ? 700 : 120);
      seen[way].push(await run());
    }
  }
  const times = (way, moment) => seen[way].map((one) => one[moment]);
  const ratio = (way, moment, limit) =>
    figure({
      name: `${language}_${way}_${moment}_ratio`,
      unit: 'ratio',
      samples: times(way, moment).map((ms, i) => ms / seen.bare[i][moment]),
      value: p50(times(way, moment)) / p50(times('bare', moment)),
      bar: limit,
    });
  const plain = Object.keys(ways).flatMap((way) =>
    ['first', 'end'].map((moment) =>
      figure({ name: `${language}_${way}_${moment}_ms`, unit: 'ms', samples: times(way, moment) }),
    ),
  );
  return [
    ...plain,
    ratio('standby', 'first', bar),
    ratio('standby', 'end', null),
    ratio('cold', 'first', BAR_COLD),
    ratio('cold', 'end', null),
  ];
}

/** So many Python programs at once: how long until each has ended. */
async function manyAtOnce(talk, name, scale) {
  const { code } = LANGUAGES.python;
  const figures = [];
  for (const count of [1, 8, 64]) {
    const first = [];
    const end = [];
    for (let round = 0; round < Math.max(1, ROUNDS * scale); round += 1) {
      await sleep(500);
      const all = Array.from({ length: count }, () => talk.timed({ language: 'python', code }));
      for (const times of await Promise.all(all)) {
        first.push(times.first);
        end.push(times.end);
      }
    }
    figures.push(figure({ name: `python_${name}_${count}_at_once_first_ms`, unit: 'ms', samples: first }));
    figures.push(figure({ name: `python_${name}_${count}_at_once_end_ms`, unit: 'ms', samples: end }));
  }
  return figures;
}

/** Text as programs print it, in large writes. */
async function streaming(talk, scale) {
  const line = 'some text that a program prints, with "quotes" and numbers 12345';
  const rates = [];
  for (let round = 0; round < Math.max(2, STREAM_ROUNDS * scale); round += 1) {
    const code = `yes '${line}' | head -c ${STREAM_BYTES}`;
    const { first, end, bytes } = await talk.timed({ language: 'shell', code });
    if (bytes !== STREAM_BYTES) throw new Error(`${bytes} bytes came`);
    rates.push(bytes / 2 ** 20 / ((end - first) / 1000));
  }
  return figure({
    name: 'streaming_mib_per_s',
    unit: 'MiB/s',
    samples: rates,
    bar: BAR_STREAM_MIB,
    better: 'more',
  });
}

export async function measure({ scale }) {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-bench-'));
  const servers = {
    standby: await startServer('python=2,javascript=2,shell=2,elixir=1'),
    cold: await startServer('none'),
  };
  try {
    await sleep(3000);
    const figures = [];
    for (const language of Object.keys(LANGUAGES)) {
      figures.push(...(await compare(language, servers, folder, scale)));
    }
    figures.push(...(await manyAtOnce(servers.standby.talk, 'standby', scale)));
    figures.push(...(await manyAtOnce(servers.cold.talk, 'cold', scale)));
    figures.push(await streaming(servers.cold.talk, scale));
    return figures;
  } finally {
    await Promise.all(Object.values(servers).map(({ close }) => close()));
    rmSync(folder, { recursive: true });
  }
}
