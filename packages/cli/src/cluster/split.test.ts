import { expect, test } from 'vitest';
import { splitCluster } from './split.js';

test.each([
  [['-parallelism', '4'], ['-parallelism', '4'], null],
  [['--cluster', 'nats://a:1', '-silent'], ['-silent'], { cluster: 'nats://a:1' }],
  [
    ['-silent', '--cluster=nats://a:1', '--credentials', 'f'],
    ['-silent'],
    { cluster: 'nats://a:1', credentials: 'f' },
  ],
  [
    ['--inbox-prefix=_INBOX_a', '--cluster', 'nats://a:1', '--jetstream-domain', 'hub'],
    [],
    { cluster: 'nats://a:1', inboxPrefix: '_INBOX_a', jetstreamDomain: 'hub' },
  ],
])('%j', (args, own, cluster) => {
  expect(splitCluster(args)).toEqual({ own, cluster });
});

test.each([
  [['--cluster']],
  [['--cluster=']],
  [['--credentials', 'f']],
  [['--inbox-prefix', 'f']],
  [['--jetstream-domain', 'f']],
])('%j is refused', (args) => {
  expect(() => splitCluster(args)).toThrow(/needs a value|is for --cluster/);
});
