// `npm run setup`: everything; `-- --tools`: only what formats, lints and checks types.
import { setup, setupTools } from './lib/setup.mjs';

await (process.argv.includes('--tools') ? setupTools() : setup());
