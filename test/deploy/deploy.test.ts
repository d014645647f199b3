// The files for operators: what can be tried without systemd, Docker and Kubernetes. docs/operators.md says
// what was not.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sbxGojudgeHelp, sbxWorkerHelp } from './help.js';

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

const ANALYZE = '/usr/bin/systemd-analyze';

describe.each(['sbx-gojudge.service', 'sbx-worker.service'])('the systemd unit %s', (name) => {
  const unit = text(`deploy/${name}`);

  it.runIf(existsSync(ANALYZE))('is one that systemd reads without a word', () => {
    const file = join(folder, name);
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

it.each(['kubernetes.yaml', 'kubernetes-worker.yaml'])(
  'the Kubernetes manifest %s asks for what docs/containers.md says, and no more',
  (name) => {
    const manifest = parse(text(`deploy/${name}`)) as { spec: { template: { spec: Pod } } };
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(text('docs/containers.md')) ?? [];
    const documented = (parse(block) as { spec: Pod }).spec;
    const { hostUsers, containers } = manifest.spec.template.spec;
    expect(hostUsers).toBe(documented.hostUsers);
    expect(containers[0]?.securityContext).toEqual({
      ...(documented.containers[0]?.securityContext as object),
      runAsNonRoot: true,
    });
  },
);

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

describe('files for a worker', () => {
  interface Container {
    args: string[];
    ports: { containerPort: number }[];
    livenessProbe: unknown;
    readinessProbe: unknown;
  }
  interface Compose {
    services: {
      nats: { ports: string[]; command: string[]; healthcheck: { test: string[] } };
      worker: Record<string, unknown> & { command: string[]; build: { dockerfile: string } };
    };
  }
  const pod = (
    parse(text('deploy/kubernetes-worker.yaml')) as {
      kind: string;
      spec: {
        selector: { matchLabels: object };
        template: {
          metadata: { labels: object };
          spec: Pod & { containers: Container[]; terminationGracePeriodSeconds: number };
        };
      };
    }
  ).spec;
  const { services } = parse(text('deploy/compose.yaml')) as Compose;
  const [, startLine = ''] =
    /^ExecStart=\/usr\/bin\/sbx worker (.*)$/m.exec(text('deploy/sbx-worker.service')) ?? [];
  const [, command = ''] = /^CMD (.*)$/m.exec(text('deploy/Containerfile.worker')) ?? [];
  const container = pod.template.spec.containers[0]!;

  it.each([
    ['Containerfile.worker', JSON.parse(command) as string[]],
    ['compose.yaml', services.worker.command],
    ['kubernetes-worker.yaml', container.args],
    ['sbx-worker.service', startLine.split(' ')],
  ])('%s starts it with flags that it has, for the broker and for its metrics', (_name, words) => {
    const flags = words.filter((word) => word.startsWith('-'));
    for (const flag of flags) expect(sbxWorkerHelp()).toMatch(new RegExp(`^  ${flag} `, 'm'));
    expect(flags).toEqual(expect.arrayContaining(['--nats', '--metrics']));
    expect(words[words.indexOf('--nats') + 1]).toMatch(/^nats:\/\/[\w.]+:4222$/);
    expect(words[words.indexOf('--metrics') + 1]).toMatch(/^(127\.0\.0\.1)?:9464$/);
  });

  it('the image, the unit and the pod run it as an ordinary user', () => {
    expect(text('deploy/Containerfile.worker')).toMatch(/^USER node$/m);
    expect(text('deploy/sbx-worker.service')).toMatch(/^User=sbx$/m);
  });

  it('who ends it waits for longer than it drains', () => {
    const drain = 30;
    for (const words of [services.worker.command, container.args, startLine.split(' ')])
      expect(words[words.indexOf('--drain') + 1]).toBe(`${drain}s`);
    const waits = [
      services.worker.stop_grace_period,
      pod.template.spec.terminationGracePeriodSeconds,
      /^TimeoutStopSec=(.*)$/m.exec(text('deploy/sbx-worker.service'))?.[1],
    ];
    for (const wait of waits) expect(Number.parseInt(String(wait), 10)).toBeGreaterThan(drain);
  });

  it('the pod is asked for its health where it tells it, and found by its labels', () => {
    expect(container.ports).toEqual([{ containerPort: 9464 }]);
    expect(container.livenessProbe).toEqual({ httpGet: { path: '/healthz', port: 9464 } });
    expect(container.readinessProbe).toEqual({ httpGet: { path: '/readyz', port: 9464 } });
    expect(pod.selector.matchLabels).toEqual(pod.template.metadata.labels);
  });

  it('compose takes away what docs/containers.md says, makes two workers, and shows the broker to nobody', () => {
    const documented = text('docs/containers.md').matchAll(/^\| `--security-opt ([\w=-]+)`/gm);
    const { worker, nats } = services;
    expect(worker.security_opt).toEqual(
      expect.arrayContaining(['no-new-privileges=true', ...[...documented].map(([, option]) => option)]),
    );
    expect(worker.security_opt).toHaveLength(5);
    expect(worker).toMatchObject({ cap_drop: ['ALL'], deploy: { replicas: 2 } });
    expect(worker).not.toHaveProperty('privileged');
    expect(existsSync(join(root, 'deploy', worker.build.dockerfile))).toBe(true);
    expect(nats.ports).toEqual(['127.0.0.1:4222:4222']);
    expect(nats.command).toContain('-js');
  });
});
