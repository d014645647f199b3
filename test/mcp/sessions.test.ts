// Who keeps a session when there are as many as there may be.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { callOf, initialize, openSession, post } from './raw.js';
import { useServer } from './server.js';

/** Long beside what a few requests take on a busy machine. */
const YIELD_MS = 2000;
const COUNT = 4;
const full = useServer({ sessionCountMax: COUNT, sessionYieldMs: YIELD_MS });

type Session = Record<string, string>;

const openAll = () => Promise.all(Array.from({ length: COUNT }, () => openSession(full.url)));
const ping = async (headers: Session) => {
  const answer = await post(full.url, { jsonrpc: '2.0', id: 9, method: 'ping' }, headers);
  await answer.text();
  return answer.status;
};
const call = async (headers: Session, name: string, args: object) => {
  await (await post(full.url, callOf(2, name, args), headers)).text();
};

async function ended(...sessions: Session[]): Promise<void> {
  for (const headers of sessions) {
    await (await fetch(full.url, { method: 'DELETE', headers })).text();
  }
  expect(full.server.load().sessions).toBe(0);
}

test('one that only was opened makes room for another, the longest idle first, but not at once', async () => {
  const sessions = await openAll();
  const refused = await initialize(full.url);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await refused.text()).toContain('4 sessions, its maximum, and all are in use; try again in 2 s');
  await sleep(YIELD_MS + 50);
  for (const session of sessions.slice(1)) expect(await ping(session)).toBe(200);
  const next = await openSession(full.url);
  expect(await ping(sessions[0]!)).toBe(404);
  expect((await initialize(full.url)).status).toBe(503);
  await ended(...sessions, next);
});

test('a request that opens no session takes the place of none', async () => {
  const sessions = await openAll();
  await sleep(YIELD_MS + 50);
  const looks: RequestInit[] = [
    { headers: { accept: 'text/event-stream' } },
    { method: 'DELETE' },
    { method: 'POST', body: '{}' },
    { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
  ];
  for (const look of looks) await (await fetch(full.url, look)).text();
  expect(await Promise.all(sessions.map(ping))).toEqual([200, 200, 200, 200]);
  await ended(...sessions);
});

test('one whose client did something stays longer than one that was only opened', async () => {
  const used = await openSession(full.url);
  await call(used, 'close_sandbox', { sandbox: 'none' });
  const looked = await openSession(full.url);
  await ping(looked);
  const opened = [await openSession(full.url), await openSession(full.url)];
  await sleep(YIELD_MS + 50);
  const others = [await openSession(full.url), await openSession(full.url), await openSession(full.url)];
  expect(await Promise.all([used, looked, ...opened].map(ping))).toEqual([200, 404, 404, 404]);
  await ended(used, ...others);
});

test('one with a sandbox, a request or an open stream stays', async () => {
  const [holding, running, listening, idle] = [
    await openSession(full.url),
    await openSession(full.url),
    await openSession(full.url),
    await openSession(full.url),
  ];
  await call(holding, 'create_sandbox', {});
  const run = call(running, 'run_command', { command: 'sleep 4' });
  const controller = new AbortController();
  const headers = { ...listening, accept: 'text/event-stream' };
  const stream = await fetch(full.url, { headers, signal: controller.signal });
  expect(stream.status).toBe(200);
  await sleep(YIELD_MS + 50);
  const next = await openSession(full.url);
  await call(next, 'create_sandbox', {});
  expect((await initialize(full.url)).status).toBe(503);
  expect(await Promise.all([holding, running, listening, idle].map(ping))).toEqual([200, 200, 200, 404]);
  await run;
  controller.abort();
  await ended(holding, running, listening, next);
});
