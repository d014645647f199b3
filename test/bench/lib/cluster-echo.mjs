// The other end of an echo over a JetStream work queue, as a process, with nothing of ours. `node … URL
// COUNT`.
import { AckPolicy, connect, jetstream, jetstreamManager, RetentionPolicy } from './nats.mjs';

const [servers, count] = process.argv.slice(2);
const connection = await connect({ servers });
const manager = await jetstreamManager(connection);
await manager.streams.add({ name: 'echo', subjects: ['echo.*'], retention: RetentionPolicy.Workqueue });
await manager.consumers.add('echo', { durable_name: 'echo', ack_policy: AckPolicy.Explicit });
const consumer = await jetstream(connection).consumers.get('echo', 'echo');
for (let index = 0; index < Number(count); index += 1) {
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
