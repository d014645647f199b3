import { writeSync } from 'node:fs';

for (;;) writeSync(1, 'all work and no play\n');
