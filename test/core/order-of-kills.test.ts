// When memory runs out, the kernel ends programs first and init last: it tells them apart by a score, which a
// program inherits from init and init then gives back.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { type ProcessRow, processesOfUids, readOrNull } from '../helpers/proc.js';
import { eventually, until } from '../helpers/wait.js';

const sbx = useEngine();

const find = (wanted: string) =>
  processesOfUids(sbx.engine.info().user.uidBase).find(({ name }) => name === wanted);
const scores = ({ pid, parent }: ProcessRow) =>
  [pid, parent].map((one) => readOrNull(`/proc/${one}/oom_score_adj`)?.trim());
const IN_ORDER = ['1000', '0'];

describe('the program goes before its init', () => {
  // Init hears of an exec before the kernel has given the program memory of its own, and what it writes for
  // itself then counts for both. An emulated kernel takes long for that moment.
  it('as soon as the host hears of a program, the first one of its sandbox or a later one', async () => {
    for (let programs = 0; programs < 15; programs++) {
      await using sandbox = await sbx.engine.createSandbox();
      for (const which of ['first', 'second']) {
        const sleeper = await sandbox.spawn(t('sleep-ms'), ['60000']);
        expect(scores(find('sleep-ms')!), `${which} program of sandbox ${programs}`).toEqual(IN_ORDER);
        sleeper.kill();
        await sleeper.result;
      }
    }
  });

  it.each([
    ['a program alone', t('sleep-ms'), ['60000'], 'sleep-ms'],
    [
      'one that has left an orphan behind, whose end wakes init',
      '/bin/sh',
      ['-c', '( : & ); exec sleep 60'],
      'sleep',
    ],
  ])('once it runs, though the host asked for no word of it: %s', async (_, file, args, name) => {
    for (let runs = 0; runs < 40; runs++) {
      const end = new AbortController();
      const run = sbx.engine.run(file, args, { signal: end.signal });
      await until(paced(2000), 'it runs', () => find(name) !== undefined);
      const program = find(name)!;
      await eventually(paced(400), () =>
        isDeepStrictEqual(scores(program), IN_ORDER) ? [] : [`in run ${runs}: ${scores(program)}`],
      );
      end.abort();
      await expect(run).rejects.toMatchObject({ name: 'AbortError' });
    }
  });
});
