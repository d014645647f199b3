import { Engine } from '@sbx/core';

export const dynamic = 'force-dynamic';

export async function GET() {
  try {
    const engine = await Engine.open({ parallelism: 1, readyCount: 0 });
    const { status } = await engine.run('/bin/true');
    const { version } = engine.info();
    await engine.close();
    return Response.json({ status, version });
  } catch ({ name, code, message }) {
    return Response.json({ name, code, message });
  }
}
