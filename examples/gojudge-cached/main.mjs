// A client of go-judge's interface: compiled once, the binary stays on the server, and many runs share one
// connection.
import { GojudgeClient } from '@sbx/gojudge-client';
import { createGojudgeServer } from '@sbx/gojudge-server';

// Where a server runs already, its address is all that is needed.
const server = await createGojudgeServer({ port: 0 });
const { urls } = await server.listen();
const client = new GojudgeClient({ url: urls[0] });

const compilation = await client.run({
  args: ['/usr/bin/g++', '-O2', '-o', 'main', 'main.cpp'],
  copyIn: {
    'main.cpp': '#include <iostream>\nint main() { long long n; std::cin >> n; std::cout << n * n; }',
  },
  copyOutCached: ['main'],
  limits: { cpuTimeMs: 20_000, memoryBytes: 1024 * 2 ** 20 },
});
console.log(compilation.status);
const binary = compilation.take('main');

const session = await client.connect();
const outcomes = await Promise.all(
  [3, 12, 100_000].map((n) => session.run({ args: ['./main'], stdin: `${n}\n`, copyIn: { main: binary } })),
);
for (const { status, stdout } of outcomes) console.log(status, stdout);

await session.close();
await binary.delete();
await client.close();
await server.close();
