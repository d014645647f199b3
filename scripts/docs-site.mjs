// `npm run docs:site`: builds the documentation site into docs/site. `-- --base /sbx/` for a site below a
// folder of its host; `-- --serve` shows it on 127.0.0.1 afterwards, on `--port` (4173). `-- --live` shows
// the pages there without a build, each change as it is saved.
import { parseArgs } from 'node:util';
import { CommandError } from './lib/run.mjs';
import { setup } from './lib/setup.mjs';
import { buildSite } from './lib/site/build.mjs';
import { serveLive, serveSite } from './lib/site/serve.mjs';

const options = {
  base: { type: 'string', default: '/' },
  serve: { type: 'boolean', default: false },
  live: { type: 'boolean', default: false },
  port: { type: 'string', default: '4173' },
};

function argumentsOf() {
  try {
    const { values } = parseArgs({ options });
    if (!/^\/([^?#\s]+\/)?$/.test(values.base))
      throw new Error(`--base ${values.base}: must begin and end with a slash, as /sbx/`);
    if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535)
      throw new Error(`--port ${values.port}: must be a whole number from 0 to 65535`);
    return { ...values, port: Number(values.port) };
  } catch (error) {
    console.error(`docs:site: ${error.message}`);
    process.exit(2);
  }
}

const { base, serve, live, port } = argumentsOf();
const endHint = '(Ctrl-C ends it)';
await setup();
try {
  if (live) {
    console.log(`${await serveLive(base, port)} ${endHint}`);
  } else {
    console.log(await buildSite(base));
    if (serve) console.log(`${await serveSite(base, port)} ${endHint}`);
  }
} catch (error) {
  console.error(error instanceof CommandError ? error.output : `docs:site: ${error.message}`);
  process.exit(1);
}
