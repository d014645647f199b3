import { InvalidOptionsError } from '../errors.js';

/**
 * For classes whose objects take time to make: `new` is in reach of plain JavaScript, and would give half an
 * object.
 */
export function notConstructed(name: string, call: string): InvalidOptionsError {
  const [field, expected] = [`new ${name}()`, 'makes nothing'];
  return new InvalidOptionsError({ field, rule: 'type', expected, hint: `Call \`${call}\` instead.` });
}
