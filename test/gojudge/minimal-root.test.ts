// A server whose programs see packages instead of the host's /usr.
import { createGojudgeServer } from '@sbx/gojudge-server';
import { expect, test } from 'vitest';
import { cmd, post, useServer } from './server.js';

const server = useServer({ root: { packages: ['dash', 'coreutils'] } });

test('runs what is in it, and nothing else of the host', async () => {
  const response = await post(server.url, {
    cmd: [cmd(['/bin/sh', '-c', 'ls /usr/bin | grep -c . ; ls /usr/bin/ls /usr/bin/gcc'])],
  });
  const [result] = (await response.json()) as { files: { stdout: string; stderr: string } }[];
  expect(result!.files.stdout).toContain('/usr/bin/ls\n');
  expect(result!.files.stderr).toMatch(/grep: not found[\s\S]*gcc'?: No such file/);
  const config = (await (await fetch(`${server.url}/config`)).json()) as {
    runnerConfig: { mount: { Target: string }[] };
  };
  expect(config.runnerConfig.mount.map(({ Target }) => Target)).not.toContain('usr');
});

test('is refused beside a root of the caller’s own', async () => {
  await expect(createGojudgeServer({ root: 'minimal', mountConf: { mount: [] } })).rejects.toThrow(
    /root must be 'host' where mountConf/,
  );
  await expect(createGojudgeServer({ root: 'tiny' as never })).rejects.toThrow(/root must be one of/);
});
