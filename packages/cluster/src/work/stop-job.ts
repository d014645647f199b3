import type { Cancel } from '../wire/notice.js';

/** Why a job is to end before its program has ended. */
export class StopJob extends Error {
  override name = 'StopJob';
  /** `'drop'`: nobody wants anything of it. `'orphan'`: its submitter is gone, and no record says so yet. */
  readonly mode: Cancel['mode'] | 'orphan';

  constructor(mode: Cancel['mode'] | 'orphan') {
    super(`the job is to end (${mode})`);
    this.mode = mode;
  }
}
