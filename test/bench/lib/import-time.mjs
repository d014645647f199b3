// Prints how long an import takes in this fresh process, in ms. Argument: the module.
const start = performance.now();
await import(process.argv[2]);
process.stdout.write(String(performance.now() - start));
