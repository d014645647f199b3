const living = new Set();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** A child that is not to outlive its benchmark, also when that ends by an error. */
export function killAtExit(child) {
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}
