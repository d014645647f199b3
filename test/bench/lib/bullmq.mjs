/**
 * An echo over BullMQ on Redis, to compare with. Redis is used where it is on the PATH (`apt-get install
 * redis-server`), with a log that is flushed once a second, so that it promises about what JetStream's store
 * does; BullMQ is fetched once, into the folder of what set-up has made.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../helpers/free-port.mjs';
import { startScript } from './cluster-parts.mjs';
import { findOnPath } from './machine.mjs';

const VERSION = '6.7.0';
/** An optional peer of it, in the version that its manifest names. */
const IOREDIS_VERSION = '5.11.1';
const QUEUE = 'echo';
/** Results that are kept, since a caller may look for its own after it came. */
const KEPT = 1000;

const tools = join(import.meta.dirname, '../../../.sbx-setup');
const folder = join(tools, `bullmq-${VERSION}-ioredis-${IOREDIS_VERSION}`);

/** Its classes; `provideBullmq` comes first. */
export const loadBullmq = () => createRequire(join(folder, 'package.json'))('bullmq');

function provideBullmq() {
  if (existsSync(folder)) return;
  mkdirSync(tools, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const args = ['install', '--prefix', unfinished, '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', [...args, `bullmq@${VERSION}`, `ioredis@${IOREDIS_VERSION}`], { stdio: 'pipe' });
  renameSync(unfinished, folder);
}

/** `{ send, close }`, or `{ missing }` with why there is none. */
export async function openBullmqEcho(bytes, slots) {
  const server = findOnPath('redis-server');
  if (server === null) return { missing: 'redis-server is not on the PATH' };
  try {
    provideBullmq();
  } catch (error) {
    return { missing: `BullMQ could not be fetched: ${error.message.split('\n')[0]}` };
  }
  const redis = await startRedis(server);
  try {
    const peer = await startScript('bullmq-peer.mjs', [redis.port, slots]);
    return await connectEcho(bytes, { redis, peer });
  } catch (error) {
    await redis.close();
    return { missing: error.message };
  }
}

async function connectEcho(bytes, { redis, peer }) {
  const { Queue, QueueEvents } = loadBullmq();
  const connection = { host: '127.0.0.1', port: redis.port };
  const queue = new Queue(QUEUE, { connection });
  const events = new QueueEvents(QUEUE, { connection });
  await events.waitUntilReady();
  const data = { text: 'x'.repeat(bytes) };
  const kept = { count: KEPT };
  return {
    async send() {
      const job = await queue.add('job', data, { removeOnComplete: kept });
      await job.waitUntilFinished(events);
    },
    async close() {
      await events.close();
      await queue.close();
      peer.kill('SIGKILL');
      await redis.close();
    },
  };
}

async function startRedis(server) {
  const store = mkdtempSync(join(tmpdir(), 'sbx-bench-redis-'));
  const port = await freePort();
  const args = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', store, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const child = spawn(server, [...args, ...durable], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => data.includes('Ready to accept connections') && resolve());
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  const close = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(store, { recursive: true, force: true });
  };
  return { port, close };
}
