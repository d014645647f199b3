// As bundlers.test.ts, with the tools that take their time.
import { describeTools, named, works } from './tools.js';

describeTools([
  ['Rollup', works, named],
  ['webpack', works, works],
  ['ncc', named, named],
  ['single executable', works, named],
]);
