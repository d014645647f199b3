// node test/bench/main.mjs NAME [--json] [--check] [--quick]
// One benchmark per process: what one leaves in memory or on the CPUs must not meet the next.
import { parseArgs } from 'node:util';
import { makeReport, missedFigures } from './lib/figures.mjs';
import { printJson, printTable } from './lib/print.mjs';

/** name → module with `title` and `measure(options)`; a new benchmark is a new row. */
const BENCHES = {
  spawn: './spawn.mjs',
  limits: './limits.mjs',
  burst: './burst.mjs',
  groups: './groups.mjs',
  memory: './memory.mjs',
  gojudge: './gojudge.mjs',
  'gojudge-files': './gojudge-files.mjs',
  'gojudge-host': './gojudge-host.mjs',
  'gojudge-start': './gojudge-start.mjs',
  console: './console.mjs',
  fifo: './fifo.mjs',
  fathom: './fathom.mjs',
  cluster: './cluster.mjs',
  'cluster-fleet': './cluster-fleet.mjs',
  adapters: './adapters.mjs',
};

const usage = `usage: main.mjs ${Object.keys(BENCHES).join('|')} [--json] [--check] [--quick] [--url URL]… [--only TEXT]
  --json   one JSON object on stdout, nothing else
  --check  exit 1 when a bar is missed
  --url    gojudge, gojudge-files: a server to measure; with several, the first is compared to the others
  --command gojudge-start: another server that takes go-judge's flags, as a path
  --only   gojudge: loads with this in their names
  --quick  a tenth of the samples: to see that it works, not how fast`;

const options = {
  json: { type: 'boolean' },
  check: { type: 'boolean' },
  quick: { type: 'boolean' },
  url: { type: 'string', multiple: true },
  command: { type: 'string' },
  only: { type: 'string' },
};

function readCommand() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [bench, ...rest] = positionals;
    if (Object.hasOwn(BENCHES, bench ?? '') && rest.length === 0) return { bench, ...values };
  } catch (error) {
    console.error(error.message);
  }
  console.error(usage);
  process.exit(2);
}

const { bench, json = false, check = false, quick = false, url: urls, command, only } = readCommand();
const module = await import(BENCHES[bench]);
if (!json) console.error(`${module.title} …`);
const report = makeReport(bench, await module.measure({ scale: quick ? 0.1 : 1, urls, command, only }));
if (json) printJson(report);
else printTable(module.title, report);
const missed = missedFigures(report);
if (check && missed.length > 0) {
  console.error(`missed: ${missed.map((figure) => figure.name).join(', ')}`);
  process.exitCode = 1;
}
