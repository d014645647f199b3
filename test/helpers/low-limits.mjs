/** Runs under hard limits of the host's own. Argument: URL of @sbx/core's index. Prints one JSON object. */
const { Engine } = await import(process.argv[2]);
const engine = await Engine.open({ parallelism: 1 });
const { status, stdout } = await engine.run('/bin/sh', ['-c', 'ulimit -Ha'], {
  limits: { stackBytes: 64 * 2 ** 20 },
});
await engine.close();
process.stdout.write(JSON.stringify({ status, text: stdout.text() }));
