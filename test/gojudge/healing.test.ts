// The helper of the server's engine dies: /readyz says so while there is none, and requests are served again
// afterwards.
import { createGojudgeServer } from '@sbx/gojudge-server';
import { expect, test } from 'vitest';
import { until } from '../helpers/wait.js';
import { killZygote, restarted, withBlockableEngine } from '../helpers/zygote.js';
import { cmd, post } from './server.js';

test('runs are answered with Internal Error while there is no helper, and as before when there is one', () =>
  withBlockableEngine({ parallelism: 1 }, async ({ engine, block, unblock }) => {
    const server = await createGojudgeServer({
      engine,
      httpAddr: '127.0.0.1:0',
      monitorAddr: '127.0.0.1:0',
      enableMetrics: true,
    });
    try {
      const { urls, monitorUrls } = await server.listen();
      const readiness = async () => (await fetch(`${monitorUrls[0]}/readyz`)).status;
      const status = async () => {
        const answer = await post(urls[0]!, { cmd: [cmd(['/bin/true'])] });
        const [result] = (await answer.json()) as { status: string }[];
        return [answer.status, result!.status];
      };
      expect(await readiness()).toBe(200);
      block();
      killZygote();
      await until(2000, 'it says so', async () => (await readiness()) === 503);
      expect(await status()).toEqual([200, 'Internal Error']);
      unblock();
      await restarted(engine, 1);
      expect(await readiness()).toBe(200);
      expect(await status()).toEqual([200, 'Accepted']);
    } finally {
      await server.close();
    }
  }));
