/** The command `sbx`: argv in, exit code out. Everything that costs time to load is loaded by the command that needs it. */
import { runMain } from './program.js';

process.exitCode = await runMain(process.argv.slice(2));
