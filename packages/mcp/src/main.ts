/** The command `sbx-mcp`. */
import { runMcpCommand } from './command.js';

// Talk that nobody reads is no reason to end; without a reader of the protocol the transport ends by itself.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => undefined);
process.exit(await runMcpCommand(process.argv.slice(2)));
