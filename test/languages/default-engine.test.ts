// In a file of its own, since nobody closes the default engine: it lives as long as its process.
import { runCode } from '@sbx/languages';
import { expect, test } from 'vitest';
import { isSkipped } from './installed.js';

test.skipIf(isSkipped('python'))('the default engine serves those who bring none', async () => {
  for (const round of [1, 2]) {
    const result = await runCode({ language: 'python', code: `print(${round})` });
    expect(result.stdout.text()).toBe(`${round}\n`);
  }
});
