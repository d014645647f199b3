// The helper of the server's engine dies: /readyz says so while there is none, and the server is ready again
// afterwards.
import { createFathomServer } from '@sbx/fathom-server';
import { expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { killZygote, restarted, withBlockableEngine } from '../helpers/zygote.js';

test('/readyz is 503 while there is no helper', () =>
  withBlockableEngine({ parallelism: 1 }, async ({ engine, block, unblock }) => {
    const server = await createFathomServer({ port: 0, standby: {}, engine, languages: ['shell'] });
    try {
      const { urls } = await server.listen();
      const address = urls[0]!.replace('ws', 'http').replace(/\/ws$/, '/readyz');
      const readiness = async () => (await fetch(address)).status;
      expect(await readiness()).toBe(200);
      block();
      killZygote();
      await until(2000, 'it says so', async () => (await readiness()) === 503);
      unblock();
      await restarted(engine, 1);
      expect(await readiness()).toBe(200);
    } finally {
      await server.close();
    }
  }));
