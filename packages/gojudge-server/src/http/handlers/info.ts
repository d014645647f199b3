/** `GET /version` and `GET /config`. Keys are sorted, as Go writes maps. */
import type { WireFeatures } from '@sbx/gojudge-client/wire';
import type { Settings } from '../../judge/settings.js';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Features of the program, not of the machine: `procPeak` is true also where no kernel counts it. */
const FEATURES: WireFeatures = {
  addressSpaceLimit: true,
  copyOutOptional: true,
  copyOutTruncate: true,
  fixSymlinkEscape: true,
  pipeProxy: true,
  pipeProxyZeroCopy: true,
  procPeak: true,
  stream: true,
  symlink: true,
};

export function versionJson({ advertiseVersion }: Pick<Settings, 'advertiseVersion'>): string {
  return sortedJson({
    ...FEATURES,
    buildVersion: advertiseVersion,
    goVersion: 'go1.26.0',
    os: 'linux',
    platform: ARCHITECTURES[process.arch] ?? process.arch,
  });
}

export function configJson(settings: Settings, fileStorePath: string): string {
  return sortedJson({ ...FEATURES, fileStorePath, runnerConfig: sorted({ ...settings.runnerConfig }) });
}

function sortedJson(value: Record<string, unknown>): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
