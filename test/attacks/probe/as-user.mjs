// The prober as whoever this process is: kinds of start as the argument; prints them with their tables as
// JSON.
import { probeAsWeAre } from './run-probe.mjs';

process.stdout.write(JSON.stringify(await probeAsWeAre(process.argv[2].split(','))));
