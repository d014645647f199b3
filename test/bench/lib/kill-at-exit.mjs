/** A child that is not to outlive its benchmark, also when that ends by an error. */
export function killAtExit(child) {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
