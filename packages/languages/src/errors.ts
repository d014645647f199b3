import { type ErrorCode, SbxError } from '@sbx/core';

/**
 * The language is known, but what it needs is not inside the sandbox. Nothing of the caller's was started.
 */
export class LanguageUnavailableError extends SbxError {
  /** Name of the language. */
  readonly language: string;
  /** Programs and paths that were looked for and are not there. */
  readonly missing: readonly string[];
  /** Package of Debian that brings them; `null` when the definition names none. */
  readonly debianPackage: string | null;

  constructor(init: {
    language: string;
    title: string;
    missing: readonly string[];
    debianPackage: string | null;
  }) {
    const { language, missing, debianPackage } = init;
    super({
      code: 'SBX_LANGUAGE_UNAVAILABLE' as ErrorCode,
      message: `${init.title} is not available: ${missingText(missing, debianPackage)}`,
      details: { language, missing: [...missing], debianPackage },
      retryable: false,
    });
    this.language = language;
    this.missing = missing;
    this.debianPackage = debianPackage;
  }

  static {
    Object.defineProperty(LanguageUnavailableError.prototype, 'name', {
      value: 'LanguageUnavailableError',
      writable: true,
      configurable: true,
    });
  }
}

/** Names what is missing and how to get it; also the `reason` of a report. */
export function missingText(missing: readonly string[], debianPackage: string | null): string {
  const things = missing.map((thing) => JSON.stringify(thing)).join(', ');
  const fix =
    debianPackage === null
      ? 'Install it, or bring it into the sandbox with EngineOptions.mounts.'
      : `On Debian: apt-get install ${debianPackage}. Of one outside /usr give the engine its folder, in \`toolchains\`.`;
  return `${things} ${missing.length === 1 ? 'is' : 'are'} not inside the sandbox. ${fix}`;
}
