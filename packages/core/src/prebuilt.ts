/** Which of the package's prebuilt pairs, addon and helper, is for a platform. */
import { fileURLToPath } from 'node:url';

export interface Pair {
  addon: string;
  helper: string;
}

/**
 * Each path stands whole in its line, in the form that tools which trace a program's files understand: an
 * address of its own as the argument of a call that they do not look into (in a list alone @vercel/nft passes
 * it over). As functions, since `import.meta.url` is not there in every bundle: importing must not fail.
 */
const PREBUILT = new Map<string, () => [addon: string, helper: string]>([
  [
    'linux-x64-glibc',
    () => [
      pathOf(new URL('../prebuilds/linux-x64-glibc/sbx.node', import.meta.url)),
      pathOf(new URL('../prebuilds/linux-x64-glibc/sbx-helper', import.meta.url)),
    ],
  ],
  [
    'linux-x64-musl',
    () => [
      pathOf(new URL('../prebuilds/linux-x64-musl/sbx.node', import.meta.url)),
      pathOf(new URL('../prebuilds/linux-x64-musl/sbx-helper', import.meta.url)),
    ],
  ],
  [
    'linux-arm64-glibc',
    () => [
      pathOf(new URL('../prebuilds/linux-arm64-glibc/sbx.node', import.meta.url)),
      pathOf(new URL('../prebuilds/linux-arm64-glibc/sbx-helper', import.meta.url)),
    ],
  ],
  [
    'linux-arm64-musl',
    () => [
      pathOf(new URL('../prebuilds/linux-arm64-musl/sbx.node', import.meta.url)),
      pathOf(new URL('../prebuilds/linux-arm64-musl/sbx-helper', import.meta.url)),
    ],
  ],
]);

function pathOf(url: URL): string {
  return fileURLToPath(url);
}

/** Names of the platforms that there are pairs for. */
export const PREBUILT_PLATFORMS: readonly string[] = [...PREBUILT.keys()];

/**
 * `linux-x64-glibc` and so on; a Node that is linked against musl names no version of glibc in its report.
 */
export function platformName(
  arch: string,
  { glibcVersionRuntime }: { glibcVersionRuntime?: string },
): string {
  return `linux-${arch}-${glibcVersionRuntime === undefined ? 'musl' : 'glibc'}`;
}

/**
 * The pair of that platform; `null` when none is built for it, or when this code is in a bundle without an
 * address of its own. A checkout has only those that were built in it.
 */
export function prebuiltPair(platform: string): Pair | null {
  try {
    const paths = PREBUILT.get(platform)?.();
    return paths === undefined ? null : { addon: paths[0], helper: paths[1] };
  } catch {
    return null; // no `import.meta.url`, or one that is no file's
  }
}

/** The platform of this process. */
export function ownPlatform(): string {
  // The report would otherwise wait for reverse DNS of open sockets.
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  if (before !== undefined) report.excludeNetwork = before;
  return platformName(process.arch, header);
}
