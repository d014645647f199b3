// On a kernel that is too old: opening an engine says so, by name, and leaves nothing.
import assert from 'node:assert/strict';
import { release } from 'node:os';
import { Engine } from '@sbx/core';

await assert.rejects(Engine.open(), {
  name: 'UnsupportedError',
  code: 'SBX_UNSUPPORTED_PLATFORM',
  message: `Linux ${release()} is too old. Linux 5.12 or newer is needed.`,
});
