// The other machine of the benchmark, as a process: a worker, and an echo of the same bytes with nothing of
// ours. `node … URL SLOTS`.
import { startWorker } from '@sbx/cluster';
import { AckPolicy, connect, jetstream, jetstreamManager, RetentionPolicy } from './nats.mjs';

const [servers, slots] = process.argv.slice(2);
const count = Number(slots);
await startWorker({ servers, slots: count, languages: [] });

const connection = await connect({ servers });
const manager = await jetstreamManager(connection);
await manager.streams.add({ name: 'echo', subjects: ['echo.*'], retention: RetentionPolicy.Workqueue });
await manager.consumers.add('echo', { durable_name: 'echo', ack_policy: AckPolicy.Explicit });
const consumer = await jetstream(connection).consumers.get('echo', 'echo');
for (let index = 0; index < count; index += 1) {
  void (async () => {
    for (;;) {
      const message = await consumer.next();
      if (message === null) continue;
      connection.publish(message.headers.get('reply'), message.data);
      message.ack();
    }
  })();
}
process.stdout.write('ready\n');
