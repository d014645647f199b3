/** The longest time, in ms, that this process could do nothing else while `work` was done. */
export async function longestStand(work: () => Promise<unknown>): Promise<number> {
  let [longest, before] = [0, performance.now()];
  const look = () => {
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
