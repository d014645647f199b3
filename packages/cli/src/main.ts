/**
 * The command `sbx`: argv in, exit code out. Everything that costs time to load is loaded by the command that
 * needs it.
 */
import { endWith } from './ending.js';
import { EXIT } from './exit-codes.js';
import { runMain } from './program.js';

// Talk that nobody reads is no reason to end. Whoever read our data has gone: commands that run something see
// to it themselves.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  process.exit(error.code === 'EPIPE' ? EXIT.brokenPipe : EXIT.ioError);
});

await endWith(await runMain(process.argv.slice(2)));
