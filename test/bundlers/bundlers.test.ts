// Programs with @sbx/core, bundled: they work, or a typed error names the option to set. The slower tools are
// in the soak test.
import { describeTools, named, works } from './tools.js';

describeTools([
  ['esbuild, ESM', works, named],
  ['esbuild, CommonJS', works, named],
  ['Vite SSR', works, named],
  ['nft', works, works],
]);
