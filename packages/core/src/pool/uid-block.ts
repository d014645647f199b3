/**
 * The users of an engine: sandboxes of two engines that had one in common would share what the kernel bounds
 * by user. An engine claims its block by a name that only one socket can have, which holds in its network
 * namespace; engines of different ones only pick at random.
 */
import { EADDRINUSE } from '../native/errno.js';
import { loadNative } from '../native/native.js';
import { hostIdCount } from '../options/defaults.js';
import { setupError } from './failures.js';

/** Unassigned by every distribution. */
const UID_FIRST = 1_879_048_192;
const UID_LAST = 2_147_483_646;
/** Ids of one name. Most engines need fewer; large ones take several that follow each other. */
const UNIT = 4096;
const TRIES_MAX = 1000;

export interface UserBlock {
  first: number;
  /** Others may have it. */
  release(): void;
}

/** For so many sandboxes. */
export function claimBlock(maxSandboxes: number): UserBlock {
  const { native } = loadNative();
  const unitCount = Math.ceil(hostIdCount(maxSandboxes) / UNIT);
  const blocks = Math.floor((UID_LAST - UID_FIRST) / (unitCount * UNIT));
  for (let tries = 0; ; tries += 1) {
    const first = UID_FIRST + Math.floor(Math.random() * blocks) * unitCount * UNIT;
    const claimed: number[] = [];
    const release = () => native.closeFds(claimed.splice(0));
    let claim = 0;
    while (claim >= 0 && claimed.length < unitCount) {
      claim = native.claimName(`sbx-users-${first + claimed.length * UNIT}`);
      if (claim >= 0) claimed.push(claim);
    }
    if (claim >= 0) return { first, release };
    release();
    if (claim !== EADDRINUSE || tries === TRIES_MAX)
      throw setupError({ stage: 'helper', stageText: 'claim user ids', index: 0, errno: -claim });
  }
}
