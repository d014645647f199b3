/**
 * The command `sbx-gojudge`. Loading it makes V8's space for young objects grow, so that is bounded before,
 * and Node's modules, whose cached code V8 would refuse afterwards, come first.
 */
import 'node:crypto';
import 'node:diagnostics_channel';
import 'node:fs/promises';
import 'node:http';
import 'node:stream/promises';
import 'node:timers/promises';
import { keepHeapSmall } from './process/small-heap.js';

keepHeapSmall();
const { runGojudgeCommand } = await import('./process/command.js');
process.exit(await runGojudgeCommand(process.argv.slice(2)));
