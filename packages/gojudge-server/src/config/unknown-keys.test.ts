import { expect, test } from 'vitest';
import { ConfigError } from './config-error.js';
import { unknownKeys } from './unknown-keys.js';

test.each([
  [{ mounts: [] }, ['m.yaml: mounts is not a known key and is ignored; did you mean mount?']],
  [{ workdir: '/w' }, ['m.yaml: workdir is not a known key and is ignored; did you mean workDir?']],
  [{ mount: [{ type: 'bind', src: '/' }] }, [expect.stringContaining('m.yaml: mount[0].src is not')]],
  [
    { symLink: [{ linkpath: '/a' }] },
    ['m.yaml: symLink[0].linkpath is not a known key and is ignored; did you mean linkPath?'],
  ],
  [{ fooBarBaz: 1 }, [expect.stringMatching(/^m\.yaml: fooBarBaz .* known keys are mount, symLink, /)]],
  [{ ['x'.repeat(99)]: 1 }, [expect.stringContaining(`"${'x'.repeat(64)}"…`)]],
  [{ mount: [{ type: 'bind', source: '/', target: '/', readonly: true, data: '' }], initCmd: '' }, []],
  [null, []],
  [{ mount: 'x', symLink: [null, 1] }, []],
])('%j', (value, warnings) => {
  expect(unknownKeys(value, 'm.yaml')).toEqual(warnings);
});

test.each(['readOnly', 'read_only', 'ReadOnly', 'read-only', 'READONLY'])(
  'a mount row with %s would be writable, so it is refused',
  (key) => {
    const conf = {
      mount: [
        { type: 'tmpfs', target: '/w' },
        { type: 'bind', [key]: true },
      ],
    };
    expect(() => unknownKeys(conf, 'm.yaml')).toThrow(
      new ConfigError(`m.yaml: mount[1].${key} is not a key of a mount row; write readonly`),
    );
  },
);
