/**
 * The tour: real programs, good and hostile, each in a sandbox of its own, and whether each of them met its
 * fate.
 *
 *   node test/tour/main.mjs [--once]
 *
 * Then it serves a console on loopback, and prints its address; `--once` ends it before that.
 *
 * Exit code 0 only when every line came out as expected. Written as a user would write it: `@sbx/core` for
 * the engine, `@sbx/languages` for the rest.
 */
import { createServer } from 'node:net';
import { Engine } from '@sbx/core';
import { createServer as createSbxServer } from '@sbx/server';
import { CASES } from './cases.mjs';
import { explain } from './explain.mjs';
import { runCase } from './run-case.mjs';
import { formatTable } from './table.mjs';

const once = process.argv.includes('--once');
const started = performance.now();
const rows = await tour();
const seconds = ((performance.now() - started) / 1000).toFixed(1);
const wrong = rows.filter((row) => !row.asExpected);

process.stdout.write(formatTable(rows));
console.log(`\n${rows.length} programs in ${seconds} s: ${verdict(wrong)}`);
for (const { title, language, detail } of wrong)
  if (detail) console.log(`\n${title}, ${language}:\n${detail}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
if (!once) await serve();

/** What has been shown, to be tried: until a signal ends it. */
async function serve() {
  const signalled = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve);
  });
  const server = await createSbxServer({ port: 0 });
  const { urls } = await server.listen();
  console.log(
    `\nA console, go-judge's interface, Fathom (/fathom) and MCP (/mcp) are at ${urls[0]}; Ctrl+C ends it.`,
  );
  await signalled;
  await server.close();
}

async function tour() {
  const engine = await Engine.open().catch(explain);
  const trap = await openTrap();
  try {
    const { cgroup, user, kernel } = engine.info();
    console.log(`Linux ${kernel}, cgroup ${cgroup.version}, as ${user.mode}\n`);
    // All at once: the engine's queue decides how many run at a time, and none may disturb another.
    const rows = await Promise.all(CASES.map((entry) => runCase(engine, entry, trap)));
    return [...rows, trap.row()];
  } finally {
    trap.close();
    await engine.close();
  }
}

/** A server of the host that programs must not reach. */
async function openTrap() {
  let visits = 0;
  const server = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    close: () => server.close(),
    row: () => ({
      title: 'the server they tried',
      language: 'host',
      expected: 'no visitor',
      came: visits === 0 ? 'no visitor' : `${visits} visitors`,
      asExpected: visits === 0,
    }),
  };
}

function verdict(wrong) {
  if (wrong.length === 0) return 'every line came out as expected.';
  return `${wrong.length} ${wrong.length === 1 ? 'line' : 'lines'} came out otherwise (marked !).`;
}
