import { describe, expect, test } from 'vitest';
import { isSoleCommand } from './launcher.js';

describe('the shell was made for this command alone', () => {
  test.each([
    ["'sbx'", '/x/.bin/sbx'],
    ['sbx', '/x/node_modules/@sbx/cli/bin/sbx.mjs'],
    ['sbx serve fathom --port 0', '/x/bin/sbx.mjs'],
    ['./node_modules/.bin/sbx-gojudge -release', '/x/bin/sbx-gojudge.mjs'],
  ])('%s', (script, started) => expect(isSoleCommand(script, started)).toBe(true));
});

describe('it was not', () => {
  test.each([
    [undefined, '/x/.bin/sbx'],
    ['', ''],
    ['vitest run', '/x/.bin/sbx'],
    ['sbx serve fathom & node client.js', '/x/.bin/sbx'],
    ['sbx serve fathom &', '/x/.bin/sbx'],
    ['sbx run a.py; sbx run b.py', '/x/.bin/sbx'],
    ['sbx run a.py | sort', '/x/.bin/sbx'],
  ])('%s', (script, started) => expect(isSoleCommand(script, started)).toBe(false));
});
