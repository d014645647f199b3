// Run as `node agents.mjs FRAMEWORK LIMITS LINES` (JSON): prints what the model was told, and what the engine
// still had, as JSON in its last line.
import { Engine } from '@sbx/core';
import { LOOPS } from './loops.mjs';

const [framework, limits, lines] = process.argv.slice(2);
const engine = await Engine.open();
const outputs = await LOOPS[framework](engine, JSON.parse(limits), JSON.parse(lines));
const { sandboxes, running } = engine.counters();
await engine.close();
const ends = outputs.map((output) => ({ length: output.length, end: output.slice(-1000) }));
process.stdout.write(`\n${JSON.stringify({ outputs: ends, sandboxes, running })}\n`);
