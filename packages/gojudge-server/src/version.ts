/** The go-judge whose behaviour this is; clients compare it as a version. */
export const BUILD_VERSION = 'v1.12.2';

/** Set by the build. */
declare const SBX_CORE_VERSION: string | undefined;

/** Version of this package, for people. */
export function packageVersion(): string {
  return typeof SBX_CORE_VERSION === 'string' ? SBX_CORE_VERSION : 'from source';
}
