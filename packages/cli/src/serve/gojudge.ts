/** `sbx serve gojudge`: the flags are go-judge's own, so that a start line written for it works; its command reads them. */
import type { Command } from 'commander';

/** `args`: what stands after `gojudge`, as it is. */
export function addServeGojudge(
  serve: Command,
  args: readonly string[],
  done: (exitCode: number) => void,
): void {
  serve
    .command('gojudge')
    .summary('serve go-judge’s REST and WebSocket interface')
    .description('Takes the flags and variables of go-judge; -h lists them. See docs/protocols/gojudge.md.')
    .usage('[-http-addr localhost:5050] [-mount-conf mount.yaml] [-parallelism 4] …')
    .action(async () => {
      const { runGojudgeCommand } = await import('@sbx/gojudge-server/command');
      done(await runGojudgeCommand(args));
    });
}
