// `npm run test:full -- [--list] [--only NAME,…] [--skip NAME,…]`: set-up, then what CI runs shorter or not at all, part by part. Ends with
// a line for each, and its time. For a machine that has nothing else to do, over a night.
import { parseArgs } from 'node:util';
import { chosenParts, duration, PARTS } from './lib/full-parts.mjs';
import { runInSight } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';
import { provideSystemPackages } from './lib/system-packages.mjs';

function readCommand() {
  try {
    const text = { type: 'string' };
    const options = { list: { type: 'boolean', default: false }, only: text, skip: text };
    const { values } = parseArgs({ options });
    return { list: values.list, parts: chosenParts(values) };
  } catch (error) {
    console.error(`${error.message}\nusage: npm run test:full -- [--list] [--only NAME,…] [--skip NAME,…]`);
    process.exit(2);
  }
}

async function runPart({ name, about, commands, env = {} }) {
  console.log(`\n== ${name}: ${about}`);
  const start = performance.now();
  let held = true;
  for (const command of commands) {
    const code = await runInSight(process.execPath, command, { env: { ...process.env, ...env } });
    if (code !== 0) held = false;
  }
  const time = duration(performance.now() - start);
  console.log(`== ${name} ${held ? 'held' : 'FAILED'}, ${time}`);
  return { name, held, time };
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
  console.log('');
  for (const { name, held, time } of results) console.log(`${time}  ${held ? 'held  ' : 'FAILED'}  ${name}`);
  if (results.some(({ held }) => !held)) process.exitCode = 1;
}
