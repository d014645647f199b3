// Loaded into a server: memory is compared after a collection, so that what is kept is told from what is
// garbage.
import { collect } from './collect.mjs';

process.on('SIGUSR2', collect);
