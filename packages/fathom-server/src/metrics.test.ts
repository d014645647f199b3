import { expect, it } from 'vitest';
import { ServerMetrics } from './metrics.js';

const lines = async (metrics: ServerMetrics, name: string) =>
  (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

it('counts executions by language and how they ended, and times in seconds', async () => {
  const metrics = new ServerMetrics();
  metrics.observeStart('python', 1500);
  metrics.observeEnd('python', 'completed', 2500);
  metrics.observeEnd('python', 'completed', 500);
  expect(await lines(metrics, 'sbx_fathom_executions_total')).toEqual([
    'sbx_fathom_executions_total{language="python",status="completed"} 2',
  ]);
  expect(await lines(metrics, 'sbx_fathom_start_seconds_sum')).toEqual([
    'sbx_fathom_start_seconds_sum{language="python"} 1.5',
  ]);
  expect(await lines(metrics, 'sbx_fathom_execution_seconds_sum')).toEqual([
    'sbx_fathom_execution_seconds_sum{language="python"} 3',
  ]);
});

it('counts messages by kind and refusals by code', async () => {
  const metrics = new ServerMetrics();
  metrics.countMessage('ping');
  metrics.countRefusal('INVALID_REQUEST');
  expect(await lines(metrics, 'sbx_fathom_messages_total')).toEqual([
    'sbx_fathom_messages_total{kind="ping"} 1',
  ]);
  expect(await lines(metrics, 'sbx_fathom_refusals_total')).toEqual([
    'sbx_fathom_refusals_total{code="INVALID_REQUEST"} 1',
  ]);
});

it('reads what is watched when it is asked, and adds nothing up that the languages count', async () => {
  const metrics = new ServerMetrics();
  let active = 1;
  const python = { warm: 2, cold: 1, waiting: 3 };
  metrics.watch({ sbx_test_active: ['Active', () => active] });
  metrics.watchStandby(() => ({ python }));
  expect(await lines(metrics, 'sbx_test_active')).toEqual(['sbx_test_active 1']);
  active = 5;
  python.warm = 4;
  for (let reading = 0; reading < 2; reading += 1) await metrics.registry.metrics();
  expect(await lines(metrics, 'sbx_test_active')).toEqual(['sbx_test_active 5']);
  expect(await lines(metrics, 'sbx_fathom_standby_waiting')).toEqual([
    'sbx_fathom_standby_waiting{language="python"} 3',
  ]);
  expect(await lines(metrics, 'sbx_fathom_standby_served_total')).toEqual([
    'sbx_fathom_standby_served_total{language="python",from="waiting"} 4',
    'sbx_fathom_standby_served_total{language="python",from="start"} 1',
  ]);
});
