// As test/helpers/pace.ts: how many times slower than a machine the kernel below is. Bounds of time are
// stretched by it.
const PACE = Number(process.env.SBX_TEST_PACE ?? 1);

export const paced = (ms) => ms * PACE;
