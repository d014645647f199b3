// `npm run conformance -- gojudge --url http://… [--token …]`: our corpus against any server, with a report
// of differences.
import { parseArgs } from 'node:util';

const SUITES = { gojudge: './gojudge/run.mjs' };
const usage = `usage: conformance ${Object.keys(SUITES).join('|')} --url URL [--token TOKEN] [--filter TEXT] [--original]
  --original  the server is go-judge itself: where ours differs on purpose, expect its answer`;
const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  filter: { type: 'string' },
  original: { type: 'boolean', default: false },
};

const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (!Object.hasOwn(SUITES, positionals[0] ?? '') || values.url === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
const { readCorpus, runCase, transportsOf } = await import(SUITES[positionals[0]]);
const server = { url: values.url.replace(/\/$/, ''), token: values.token };

let failed = 0;
let passed = 0;
for (const one of readCorpus({ isOriginal: values.original })) {
  if (values.filter !== undefined && !`${one.file}: ${one.name}`.includes(values.filter)) continue;
  for (const transport of transportsOf(one)) {
    const differences = await runCase(server, one, transport).catch((error) => [String(error)]);
    if (differences.length === 0) passed += 1;
    else failed += 1;
    for (const text of differences)
      process.stdout.write(`${one.file}: ${one.name} [${transport}]\n    ${text}\n`);
  }
}
process.stdout.write(`\n${passed} as expected, ${failed} different\n`);
process.exitCode = failed > 0 ? 1 : 0;
