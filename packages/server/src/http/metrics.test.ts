import { expect, test } from 'vitest';
import { mergeMetrics } from './metrics.js';

test('of two families with one name the first stays, whole', () => {
  const first =
    '# HELP a First.\n# TYPE a gauge\na{x="1"} 1\na{x="2"} 2\n\n# HELP b B.\n# TYPE b gauge\nb 1\n';
  const second = '# HELP a Second.\n# TYPE a gauge\na 9\n\n# HELP c C.\n# TYPE c gauge\nc 3\n';
  expect(mergeMetrics([first, '', second])).toBe(
    '# HELP a First.\n# TYPE a gauge\na{x="1"} 1\na{x="2"} 2\n\n# HELP b B.\n# TYPE b gauge\nb 1\n\n# HELP c C.\n# TYPE c gauge\nc 3\n',
  );
});
