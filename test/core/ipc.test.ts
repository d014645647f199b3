// The IPC namespace of a slot: reused while nobody touches it, never after somebody did.
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

/** One slot: every run comes after the other in it. */
const sbx = useEngine({ parallelism: 1, readyCount: 0, maxSandboxes: 1 });

/** The namespace, and what came of each. */
async function make(...kinds: string[]): Promise<{ namespace: string; made: string[] }> {
  const { stdout } = await sbx.engine.run(t('touch-ipc'), kinds);
  const [namespace = '', ...made] = stdout.text().trimEnd().split('\n');
  return { namespace, made };
}

const KINDS = ['shm', 'sem', 'msg'];

/** The first of a new one; the second where a sandbox was dropped in between, whose group still held much. */
const FRESH = [0, 1].map((number) => KINDS.map((name) => `${name}: ${number}`));

describe('the IPC namespace of a sandbox', () => {
  it('is reused while nobody touches it, and not for ever', async () => {
    let changes = 0;
    let last = '';
    for (let i = 0; i < 150; i++) {
      const { namespace } = await make();
      changes += Number(namespace !== last);
      last = namespace;
    }
    expect(changes).toBeGreaterThanOrEqual(3); // each is good for some 60
    expect(changes).toBeLessThanOrEqual(4);
  });

  it.each([...KINDS, ...KINDS.map((kind) => `${kind}+`)])('is another after %s', async (kind) => {
    const touching = await make(kind);
    expect(touching.made[0]).toMatch(/: \d+$/);
    const next = await make(...KINDS);
    expect(next.namespace).not.toBe(touching.namespace);
    expect(FRESH).toContainEqual(next.made);
  });

  it('is another after so many objects that their numbers begin again', async () => {
    const many = Array.from({ length: 64 * 40 }, () => 'sem');
    const touching = await make(...many);
    const next = await make(...KINDS);
    expect(next.namespace).not.toBe(touching.namespace);
    expect(FRESH).toContainEqual(next.made);
  });

  it('holds no POSIX message queues, which would not be noticed', async () => {
    const { made } = await make('queue');
    expect(made).toEqual(['queue: EMFILE']);
  });
});
