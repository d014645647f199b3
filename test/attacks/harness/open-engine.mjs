// A host that opens an engine and runs one program, in whatever world it was started in. Prints what came of
// it as JSON.
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';

const [, , optionsText, attackPrograms] = process.argv;
const programs = { kind: 'bind', source: attackPrograms, target: '/a', executable: true };

async function attempt(options) {
  try {
    const engine = await Engine.open({ mounts: [...DEFAULT_MOUNTS, programs], ...options });
    const { features } = engine.info();
    const missing = Object.keys(features).filter((name) => !features[name].available);
    const limits = { memoryBytes: 64 * 2 ** 20, processCount: 32, cpuTimeMs: 1000, wallTimeMs: 3000 };
    const { status, stdout, degraded } = await engine.run('/a/fd-walk', [], { limits });
    const seen = await engine.run('/bin/ls', ['/'], { limits });
    await engine.close();
    const root = seen.stdout.text().trim().split('\n');
    return {
      opened: true,
      missing,
      status,
      out: stdout.text(),
      degraded: degraded.map(({ feature }) => feature),
      root,
    };
  } catch (error) {
    const { code = 'none', message, layer = null, stage = null } = error;
    return { opened: false, code, message, layer, stage };
  }
}

process.stdout.write(`${JSON.stringify(await attempt(JSON.parse(optionsText)))}\n`);
