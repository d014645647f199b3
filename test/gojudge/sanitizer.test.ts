/** Programs built with -fsanitize=address: what go-judge answers, ours answers. */
import { expect, it } from 'vitest';
import { cmd, post, useServer } from './server.js';

const server = useServer();

const SOURCE = `
#include <cstdio>
int main(int argc, char **argv) {
  int *volatile kept = new int(3);
  puts("done");
  if (argc > 1) kept = nullptr;
  delete kept;
}`;

interface Answer {
  fileIds: Record<string, string>;
  files: Record<string, string>;
}

async function run(program: object): Promise<Answer> {
  const [answer] = (await (await post(server.url, { cmd: [program] })).json()) as Answer[];
  return answer!;
}

it('the leak checker works inside: Accepted without a leak, and the leak is told', {
  timeout: 60_000,
}, async () => {
  const built = await run(
    cmd(['/usr/bin/g++', '-fsanitize=address', '-o', 'a', 'a.cc'], {
      copyIn: { 'a.cc': { content: SOURCE } },
      copyOutCached: ['a'],
      memoryLimit: 512 << 20,
    }),
  );
  expect(built).toMatchObject({ status: 'Accepted' });
  const fileId = built.fileIds.a;
  const copyIn = { a: { fileId } };
  const clean = await run(cmd(['a'], { copyIn }));
  expect(clean).toMatchObject({ status: 'Accepted', files: { stdout: 'done\n', stderr: '' } });
  const leaky = await run(cmd(['a', '1'], { copyIn }));
  expect(leaky).toMatchObject({ status: 'Nonzero Exit Status', exitStatus: 1 });
  expect(leaky.files.stderr).toContain('LeakSanitizer: detected memory leaks');
});
