// For `node --import`: writes each module that is loaded by a name into the file RECORD. Such modules are
// those of other packages.
import { register } from 'node:module';

const hooks = `
import { appendFileSync } from 'node:fs';
export function resolve(name, context, next) {
  if (/^[a-z@]/.test(name) && !/^(node|file|data):/.test(name)) appendFileSync(process.env.RECORD, name + '\\n');
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
