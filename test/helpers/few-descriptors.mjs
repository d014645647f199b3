/**
 * Runs while this process has no descriptors left, and again when it has. Started under a small
 * RLIMIT_NOFILE. Arguments: URL of @sbx/core's index, engine options as JSON. Prints one JSON object.
 */
import { closeSync, openSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const [index, options] = [process.argv[2], JSON.parse(process.argv[3])];
const { Engine } = await import(index);
const engine = await Engine.open(options).catch((error) => {
  process.stdout.write(JSON.stringify({ refused: error.code, hint: error.hint }));
  process.exit();
});
const attempt = (more) =>
  engine.run('/bin/cat', [], { stdin: { text: 'x' }, ...more }).then(
    (result) => result.status,
    (error) => ({ code: error.code, message: error.message }),
  );
const before = await attempt();
await sleep(200); // its clean-up would make room
const held = [];
try {
  for (;;) held.push(openSync('/dev/null', 'r'));
} catch {}
const full = [await attempt(), await attempt({ files: { f: 'x' } }), await attempt({ copyOut: ['f'] })];
for (const fd of held) closeSync(fd);
const after = [];
for (let i = 0; i < 8; i += 1) after.push(await attempt());
/** Once the next sandbox stands ready. */
const openCount = async () => {
  await sleep(200);
  return readdirSync('/proc/self/fd').length;
};
const open = await openCount();
for (let i = 0; i < 8; i += 1) await attempt();
const leaked = (await openCount()) - open;
await engine.close();
process.stdout.write(JSON.stringify({ before, full, after, leaked }));
