// `npm run test:full -- [--list] [--only NAME,…] [--skip NAME,…]`: set-up, then what `npm test` leaves out,
// part by part. Ends with a line for each, and its time. For a machine that has nothing else to do, over a
// night. `--ci`: the parts that CI runs.
import { parseArgs } from 'node:util';
import { addCounts, writeCounts } from './lib/counts.mjs';
import { CI_PARTS, chosenParts, duration, PARTS } from './lib/full-parts.mjs';
import { runInSight } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';
import { provideSystemPackages } from './lib/system-packages.mjs';

function readCommand() {
  try {
    const text = { type: 'string' };
    const flag = { type: 'boolean', default: false };
    const { values } = parseArgs({ options: { list: flag, ci: flag, only: text, skip: text } });
    return { list: values.list, parts: chosenParts(values, values.ci ? CI_PARTS : PARTS) };
  } catch (error) {
    console.error(
      `${error.message}\nusage: npm run test:full -- [--list] [--ci] [--only NAME,…] [--skip NAME,…]`,
    );
    process.exit(2);
  }
}

/** One test for each. */
async function runCommands(commands, env) {
  let counts = {};
  for (const command of commands) {
    const code = await runInSight(process.execPath, command, { env: { ...process.env, ...env } });
    counts = addCounts(counts, code === 0 ? { passed: 1 } : { failed: 1 });
  }
  return counts;
}

async function runPart({ name, about, commands = [], env = {}, run = () => runCommands(commands, env) }) {
  console.log(`\n== ${name}: ${about}`);
  const start = performance.now();
  const counts = { failures: [], ...(await run()) };
  if (counts.failed && counts.failures.length === 0) counts.failures.push(`${name}: see its own output`);
  const held = !counts.failed && !counts.skipped;
  const time = duration(performance.now() - start);
  console.log(`== ${name} ${held ? 'held' : 'FAILED'}, ${time}`);
  return { name, held, time, counts };
}

const { list, parts } = readCommand();
if (list) {
  const width = Math.max(...PARTS.map(({ name }) => name.length));
  for (const { name, about } of parts) console.log(`${name.padEnd(width)}  ${about}`);
} else {
  await setup();
  await provideSystemPackages();
  const results = [];
  for (const part of parts) results.push(await runPart(part));
  writeCounts('full', results.map(({ counts }) => counts).reduce(addCounts, {}));
  console.log('');
  for (const { name, held, time } of results) console.log(`${time}  ${held ? 'held  ' : 'FAILED'}  ${name}`);
  if (results.some(({ held }) => !held)) process.exitCode = 1;
}
