/** Says how far a long step is. */

const TICK_MS = 1000;

/**
 * Does `work`, the `number`th of `count` steps, and writes a line: its name, and at its end the time that it
 * took. On a terminal place and clock stand there meanwhile.
 */
export async function withProgress({ name, number, count }, work, out = process.stderr) {
  const from = performance.now();
  const seconds = () => (performance.now() - from) / 1000;
  out.write(`setup: ${name} … `);
  const draw = () => out.write(`\r\x1b[Ksetup: ${name} … (${number} of ${count}) ${seconds().toFixed(0)} s `);
  const clock = out.isTTY ? setInterval(draw, TICK_MS) : undefined;
  try {
    await work();
  } finally {
    clearInterval(clock);
    if (out.isTTY) out.write(`\r\x1b[Ksetup: ${name} … `);
  }
  out.write(`${seconds().toFixed(1)} s\n`);
}
