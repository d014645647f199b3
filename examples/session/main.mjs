// A session: files and installed things stay from one program to the next, until it is closed.
import { Sandbox } from '@sbx/core';

const sandbox = await Sandbox.create({ limits: { memoryBytes: 256 * 2 ** 20, wallTimeMs: 10_000 } });
try {
  await sandbox.writeFile('numbers.txt', '3\n1\n2\n');
  await sandbox.run('sh', ['-c', 'sort numbers.txt > sorted.txt']);
  const { stdout } = await sandbox.run('python3', ['-c', 'print(open("sorted.txt").read().split())']);
  console.log(stdout.text().trim());

  const failed = await sandbox.run('python3', ['-c', 'open("/etc/passwd", "a")']);
  console.log(failed.status, failed.exitCode, failed.stderr.text().trim().split('\n').at(-1));

  console.log((await sandbox.readTextFile('sorted.txt')).trim());
} finally {
  await sandbox.close();
}
