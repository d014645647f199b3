// Counts how far it gets: starts sleepers until the system says no.
import { spawn } from 'node:child_process';

for (let count = 0; count < 1000; count++) {
  const child = spawn('sleep', ['60']);
  const [outcome] = await Promise.race(['spawn', 'error'].map((event) => once(child, event)));
  if (outcome === 'error') {
    console.log('refused');
    process.exit();
  }
}
console.log('1000 processes');

function once(child, event) {
  return new Promise((resolve) => child.once(event, () => resolve([event])));
}
