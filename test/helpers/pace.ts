// How many times slower than a machine the kernel under the tests runs: 1, but in an emulated guest
// (test/vm), which says so. Bounds of time are stretched by it; all other bounds are the same everywhere.
const PACE = Number(process.env.SBX_TEST_PACE ?? 1);

/** A time of a test, in ms, at the pace of this kernel. */
export const paced = (ms: number) => ms * PACE;
