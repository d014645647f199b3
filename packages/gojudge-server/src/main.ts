/** The command `sbx-gojudge`. */
import { runGojudgeCommand } from './command.js';

process.exit(await runGojudgeCommand(process.argv.slice(2)));
