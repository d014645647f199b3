/** A configuration file, or a value of a flag, that cannot be used. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
