// Says what happened, never what it read.
import { readFileSync, symlinkSync } from 'node:fs';

symlinkSync('/etc/shadow', 'innocent.txt');
try {
  console.log(readFileSync('innocent.txt').length > 0 ? 'read' : 'refused');
} catch {
  console.log('refused');
}
