/** Resolves with `promise`, or after `ms` without it. */
export async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
