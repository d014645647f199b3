// The files for operators: what can be tried without systemd, Docker and Kubernetes. docs/operators.md says
// what was not.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sbxGojudgeHelp } from './help.js';

const root = join(import.meta.dirname, '../..');
const text = (name: string) => readFileSync(join(root, name), 'utf8');
const require = createRequire(join(root, 'packages/gojudge-server/package.json'));
const { parse } = require('yaml') as { parse: (source: string) => unknown };

const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Pod {
  hostUsers: boolean;
  containers: { securityContext: unknown }[];
}

const unit = text('deploy/sbx-gojudge.service');
const ANALYZE = '/usr/bin/systemd-analyze';

describe('the systemd unit', () => {
  it.runIf(existsSync(ANALYZE))('is one that systemd reads without a word', () => {
    const file = join(folder, 'sbx-gojudge.service');
    writeFileSync(
      file,
      unit.replace(/^ExecStart=\S+/m, 'ExecStart=/usr/bin/true').replace('User=sbx', 'User=root'),
    );
    const args = ['verify', '--man=no', file];
    expect(execFileSync(ANALYZE, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })).toBe('');
  });

  it('has none of the settings with which no sandbox can be made', () => {
    const fatal = [
      'ProtectKernelTunables',
      'ProtectKernelLogs',
      'ProtectProc',
      'ProcSubset',
      'ProtectControlGroups',
      'RestrictNamespaces',
      'SystemCallFilter',
      'MemoryDenyWriteExecute',
    ];
    for (const name of fatal) {
      expect(unit).not.toMatch(new RegExp(`^${name}=`, 'm'));
      expect(unit).toMatch(new RegExp(`^# .*${name}=`, 'm')); // and says so
    }
  });
});

it('the Kubernetes manifest asks for what docs/containers.md says, and no more', () => {
  const manifest = parse(text('deploy/kubernetes.yaml')) as { spec: { template: { spec: Pod } } };
  const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(text('docs/containers.md')) ?? [];
  const documented = (parse(block) as { spec: Pod }).spec;
  const { hostUsers, containers } = manifest.spec.template.spec;
  expect(hostUsers).toBe(documented.hostUsers);
  expect(containers[0]?.securityContext).toEqual({
    ...(documented.containers[0]?.securityContext as object),
    runAsNonRoot: true,
  });
});

describe.each(['deploy/Containerfile', 'deploy/Containerfile.alpine', 'deploy/sbx-gojudge.service'])(
  '%s',
  (name) => {
    it('starts the server with flags that it has', () => {
      const flags = [...text(name).matchAll(/[" ](-[a-z][a-z-]+)[",\s]/g)].map(([, flag]) => flag!);
      const own = flags.filter((flag) => /^-(http-addr|release)/.test(flag));
      expect(own.length).toBe(2);
      for (const flag of own) expect(sbxGojudgeHelp()).toContain(`  ${flag} `);
    });

    it('runs it as an ordinary user', () => {
      expect(text(name)).toMatch(/^(USER node|User=sbx)$/m);
    });
  },
);
