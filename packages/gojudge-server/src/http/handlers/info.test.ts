import { expect, test } from 'vitest';
import type { Settings } from '../../judge/settings.js';
import { configJson, versionJson } from './info.js';

test('the version is that which is to be told, with keys in Go’s order', () => {
  const text = versionJson({ advertiseVersion: 'v1.9.3' });
  const version = JSON.parse(text);
  expect(version).toMatchObject({ buildVersion: 'v1.9.3', os: 'linux', stream: true, symlink: true });
  expect(Object.keys(version)).toEqual(Object.keys(version).sort());
});

test('the configuration tells where files are stored and how programs run, with keys in Go’s order', () => {
  const runnerConfig = { workDir: '/w', cgroupType: 2 } as unknown as Settings['runnerConfig'];
  const config = JSON.parse(configJson({ runnerConfig } as Settings, '/store'));
  expect(config).toMatchObject({ fileStorePath: '/store', runnerConfig, pipeProxy: true });
  expect(config.buildVersion).toBeUndefined();
  expect(Object.keys(config.runnerConfig)).toEqual(['cgroupType', 'workDir']);
});
