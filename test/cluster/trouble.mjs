// What a cluster's broker says of jobs that should have ended long ago. `node trouble.mjs`, with
// `{ servers, jobs: [{ id, state }] }` as JSON on stdin.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

const require = createRequire(join(import.meta.dirname, '../../packages/cluster/package.json'));
const { connect } = require('@nats-io/transport-node');
const { jetstreamManager } = require('@nats-io/jetstream');
const JOBS_MAX = 20;
const ANSWER_MS = 5000;

const { servers, jobs } = await json(process.stdin);
const say = (line) => process.stdout.write(`${line}\n`);
const told = (promise) =>
  promise.then(
    (value) => JSON.stringify(value),
    (error) => `${error}`,
  );

const open = jobs.filter(({ state }) => state !== 'ended');
say(`${open.length} of ${jobs.length} jobs are open`);
const connection = await connect({ servers, timeout: ANSWER_MS });
const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
say(`consumer: ${await told(manager.consumers.info('sbx-jobs', 'workers'))}`);
say(`queue: ${await told(manager.streams.info('sbx-jobs'))}`);
for (const { id, state } of open.filter((each) => each.state !== 'waiting').slice(0, JOBS_MAX)) {
  const stored = manager.streams.getMessage('KV_sbx-records', {
    last_by_subj: `$KV.sbx-records.default.${id}`,
  });
  const record = stored.then((message) => message && Buffer.from(message.data).toString('latin1'));
  say(`${id}: ${state}, record ${await told(record)}`);
}
await connection.close();
