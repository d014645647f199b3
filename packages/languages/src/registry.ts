/** The set of known languages, and everything that can be done with one. */

import type { RunResult } from '@sbx/core';
import { InvalidOptionsError, nearestName, optionRules } from '@sbx/core';
import { compileCode } from './compile.js';
import { makeLanguage } from './definition.js';
import { builtinLanguages } from './entries/index.js';
import type { Language, LanguageDefinition, LanguageReport } from './language.js';
import {
  checkText,
  validate,
  validateCompile,
  validateProbe,
  validateRunArtifact,
  validateRunCode,
} from './options.js';
import { planRun } from './plan.js';
import { type ProbeOptions, probeLanguages } from './probe.js';
import { runCompiled, runSource } from './run.js';
import { shebangName } from './shebang.js';
import type {
  Artifact,
  CodeResult,
  Compilation,
  CompileOptions,
  PreparedRun,
  RunArtifactOptions,
  RunCodeOptions,
  RunEngine,
} from './types.js';

/** What a registry is made of. */
export interface RegistryOptions {
  /** Languages to add; one with a name that `extend` has replaces it. */
  languages?: readonly LanguageDefinition[] | undefined;
  /** Where to start from. Default: the built-in languages; `null`: none. */
  extend?: Registry | null | undefined;
}

/** An unchangeable set of languages. Made by `createRegistry`. */
export class Registry {
  readonly #languages: readonly Language[];
  readonly #byName = new Map<string, Language>();
  readonly #byExtension = new Map<string, Language>();

  /** @internal Use `createRegistry`. */
  static make(languages: readonly Language[]): Registry {
    return new Registry(languages);
  }

  private constructor(languages: readonly Language[]) {
    this.#languages = Object.freeze([...languages]);
    for (const language of languages) {
      for (const name of [language.name, ...language.aliases]) claim(this.#byName, name, language);
      for (const extension of language.extensions) claim(this.#byExtension, extension, language);
    }
  }

  /** All languages, in the order of definition. */
  list(): readonly Language[] {
    return this.#languages;
  }

  /**
   * The language with this name or alias, whatever the case; throws `InvalidOptionsError` naming the nearest
   * when there is none.
   */
  find(name: string): Language {
    return this.#named(name, 'options.language');
  }

  #named(name: string, field: string): Language {
    checkText(name, field);
    const found = this.#byName.get(name.toLowerCase());
    if (found !== undefined) return found;
    const near = nearestName(name, [...this.#byName.keys()]);
    const known = this.#languages.map((language) => language.name).join(', ');
    throw new InvalidOptionsError({
      field,
      rule: 'choice',
      expected: 'must be a known language',
      got: JSON.stringify(name.slice(0, 60)),
      hint: `${near === null ? '' : `Did you mean ${near}? `}Known are: ${known}.`,
    });
  }

  /**
   * The language of a file, by its extension; for `.sh` and for unknown extensions by the interpreter in the
   * first line of `code`, when there is one. `null`: not recognised.
   */
  detect(fileName: string, code = ''): Language | null {
    checkText(fileName, 'fileName');
    checkText(code, 'code');
    const dot = fileName.lastIndexOf('.');
    const byExtension = dot < 0 ? null : (this.#byExtension.get(fileName.slice(dot)) ?? null);
    if (byExtension !== null && !byExtension.extensions.includes('.sh')) return byExtension;
    const interpreter = shebangName(code);
    return (interpreter === null ? undefined : this.#byName.get(interpreter)) ?? byExtension;
  }

  /**
   * What is installed inside the engine's sandboxes, and in which version. Rejects only when the engine
   * itself fails.
   */
  async probe(engine?: RunEngine, options?: ProbeOptions): Promise<LanguageReport[]> {
    validateProbe(engine, options);
    const named = options?.languages?.map((name, at) => this.#named(name, `options.languages[${at}]`));
    const wanted = named ?? this.#languages;
    return probeLanguages([...wanted], engine, options?.signal);
  }

  /** Compiles once, for any number of `runArtifact`. A failed compilation is a value. */
  async compile(options: CompileOptions): Promise<Compilation> {
    validateCompile(options);
    return compileCode(this.find(options.language), options);
  }

  /** Runs what `compile` made, in a fresh sandbox. */
  async runArtifact(artifact: Artifact, options: RunArtifactOptions = {}): Promise<RunResult> {
    validateRunArtifact(artifact, options);
    return runCompiled(this.find(artifact.language), artifact, options);
  }

  /**
   * The run step of an artifact as arguments for core, for callers that start it themselves (sessions,
   * `spawn`, groups).
   */
  prepareRun(artifact: Artifact, options: RunArtifactOptions = {}): PreparedRun {
    validateRunArtifact(artifact, options);
    return planRun(this.find(artifact.language), artifact, options);
  }

  /** Compiles when the language needs it, then runs; each step in a fresh sandbox with limits of its own. */
  async runCode(options: RunCodeOptions): Promise<CodeResult> {
    validateRunCode(options);
    return runSource(this.find(options.language), options);
  }
}

const { by, table, wrongType } = optionRules;

const REGISTRY = table<RegistryOptions>('the options of createRegistry', {
  // Each is checked where it is read.
  languages: by((value) => (Array.isArray(value) ? null : wrongType('an array of definitions', value))),
  extend: by((value) => {
    const isRegistry = typeof (value as { list?: unknown } | null)?.list === 'function';
    return value === null || isRegistry ? null : wrongType('a Registry, or null for none', value);
  }),
});

/** Makes a registry: the built-in languages, or those of `extend`, plus or replaced by `languages`. */
export function createRegistry(options: RegistryOptions = {}): Registry {
  validate(options, REGISTRY);
  const { languages: added = [], extend } = options;
  const base =
    extend === undefined ? builtinLanguages.map((entry) => makeLanguage(entry)) : (extend?.list() ?? []);
  const byName = new Map(base.map((language) => [language.name, language]));
  for (const [index, definition] of added.entries()) {
    const language = makeLanguage(definition, `options.languages[${index}]`);
    byName.set(language.name, language);
  }
  return Registry.make([...byName.values()]);
}

/** Puts `language` under `key`, which must be free. */
function claim(table: Map<string, Language>, key: string, language: Language): void {
  const owner = table.get(key);
  if (owner !== undefined) {
    throw new InvalidOptionsError({
      field: 'options.languages',
      rule: 'conflict',
      expected: `must not use a name or extension twice`,
      got: `${JSON.stringify(key)} for both ${owner.name} and ${language.name}`,
    });
  }
  table.set(key, language);
}
