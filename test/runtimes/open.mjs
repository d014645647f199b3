// Opens an engine. Argument: URL of @sbx/core's index.
const { Engine } = await import(process.argv[2]);

const report = (answer) => process.stdout.write(JSON.stringify(answer));
await Engine.open().then(
  () => report({}),
  ({ name, code, details }) => report({ name, code, runtime: details?.runtime }),
);
