// The catalogue: every entry with its group, in order of number. Entries live in ../entries, a file per
// group.
import { ESCAPE } from '../entries/escape.mjs';
import { EXHAUSTION } from '../entries/exhaustion.mjs';
import { EXHAUSTION_OUTPUT } from '../entries/exhaustion-output.mjs';
import { FILES } from '../entries/files.mjs';
import { INFORMATION } from '../entries/information.mjs';
import { MEASURING } from '../entries/measuring.mjs';
import { NAMES } from '../entries/names.mjs';
import { PROTOCOL } from '../entries/protocol.mjs';
import { SUPERVISOR } from '../entries/supervisor.mjs';

export const GROUPS = {
  A: 'escape',
  B: 'information leaks',
  C: 'resource exhaustion',
  D: 'measuring cheats',
  E: 'file tricks',
  F: 'protocol abuse',
  G: 'supervisor attacks',
};

const inGroup = (group, entries) => entries.map((entry) => ({ group, ...entry }));

export const ENTRIES = [
  ...inGroup('A', [...ESCAPE, ...NAMES]),
  ...inGroup('B', INFORMATION),
  ...inGroup('C', [...EXHAUSTION, ...EXHAUSTION_OUTPUT]),
  ...inGroup('D', MEASURING),
  ...inGroup('E', FILES),
  ...inGroup('F', PROTOCOL),
  ...inGroup('G', SUPERVISOR),
].sort((a, b) => a.id - b.id);
