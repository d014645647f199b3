/** `sbx serve mcp`: the options are those of `sbx-mcp`, whose command reads them. */
import type { Command } from 'commander';

/** `args`: what stands after `mcp`, as it is. It ends the process, which a client could keep otherwise. */
export function addServeMcp(serve: Command, args: readonly string[]): void {
  serve
    .command('mcp')
    .summary('sandboxes for hosts of the Model Context Protocol')
    .description('Takes the options of sbx-mcp; --help lists them. See docs/protocols/mcp.md.')
    .usage('[--http] [--port 8766] [--token-file path] …')
    .action(async () => {
      const { runMcpCommand } = await import('@sbx/mcp/command');
      process.exit(await runMcpCommand(args, 'sbx serve mcp'));
    });
}
