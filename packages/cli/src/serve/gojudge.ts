/**
 * `sbx serve gojudge`: the flags are go-judge's own, so that a start line written for it works; its command
 * reads them.
 */
import type { Command } from 'commander';
import { clusterOptions, splitCluster } from '../cluster/split.js';

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
    .usage(
      '[-http-addr localhost:5050] [-mount-conf mount.yaml] [-parallelism 4] …\n' +
        '       sbx serve gojudge --cluster nats://HOST:4222 [--credentials path] [--inbox-prefix subject] [flags of go-judge]',
    )
    .action(async () => {
      const { own, cluster } = splitCluster(args);
      const { runGojudgeCommand } = await import('@sbx/gojudge-server/command');
      if (cluster === null) return done(await runGojudgeCommand(own, undefined, clusterUsage()));
      const { openCluster } = await import('../cluster/open.js');
      done(await runGojudgeCommand(own, () => openCluster(cluster), clusterUsage()));
    });
}

/** In the columns of the server's own help. */
function clusterUsage(): string {
  const lines = clusterOptions().map(
    ({ flags, description }) => `${`  ${flags}`.padEnd(38)} ${description}\n`,
  );
  return `\nOf sbx serve gojudge alone:\n${lines.join('')}`;
}
