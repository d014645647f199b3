// Exits while its engine is open. Argument: URL of @sbx/core's index.
const { Engine } = await import(process.argv[2]);
const engine = await Engine.open({ require: [] });
await engine.run('/bin/true');
process.exit(0);
