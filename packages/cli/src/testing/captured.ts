import { vi } from 'vitest';

/** What `work` wrote to stdout and stderr, and what it gave. */
export async function captured<T>(
  work: () => T | Promise<T>,
): Promise<{ stdout: string; stderr: string; value: T }> {
  const texts = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      texts[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    }),
  );
  try {
    const value = await work();
    return { ...texts, value };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
