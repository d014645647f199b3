/**
 * As many runs at once as the engine lets through, of twice what would fit. Started under a small
 * RLIMIT_NOFILE. Arguments: URL of
 * @sbx/core's index, how many. Prints one JSON object.
 */
const [index, count] = [process.argv[2], Number(process.argv[3])];
const { Engine } = await import(index);
const engine = await Engine.open({ parallelism: count, maxSandboxes: count });
const run = () =>
  engine
    .run('/bin/sh', ['-c', 'sleep 0.3; cat'], { stdin: { text: 'x' }, limits: { wallTimeMs: 60_000 } })
    .then(
      ({ status }) => status,
      ({ code, message }) => `${code} ${message}`,
    );
const outcomes = {};
for (const outcome of await Promise.all(Array.from({ length: count }, run)))
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
const { maxSandboxes, parallelism } = engine.info();
await engine.close();
process.stdout.write(JSON.stringify({ maxSandboxes, parallelism, outcomes }));
