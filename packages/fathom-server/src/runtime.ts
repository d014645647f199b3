/** The languages on offer, and how an `execute` becomes a living program. */
import { InvalidOptionsError, isSbxError, type Limits, type Runner, type RunnerProcess } from '@sbx/core';
import { type ExecuteMessage, LIMIT_DEFAULTS } from '@sbx/fathom-client/wire';
import {
  createRegistry,
  createRuntimes,
  type LanguageDefinition,
  type LanguageReport,
  languages,
  type Registry,
  type Runtimes,
} from '@sbx/languages';
import type { ResolvedOptions } from './options.js';

/** Of core's `cpuWeight`. */
const WEIGHT_MAX = 10_000;
const MB = 2 ** 20;
/** What the first interpreters that wait are made for, as in the sample of the specification. */
const FIRST_LIMITS = { timeout_ms: 30_000, memory_mb: 256 };

export class Runtime {
  /** As on the wire, in the order in which they were listed. */
  readonly names: readonly string[];
  readonly #runtimes: Runtimes;
  readonly #options: ResolvedOptions;

  private constructor(names: readonly string[], runtimes: Runtimes, options: ResolvedOptions) {
    this.names = names;
    this.#runtimes = runtimes;
    this.#options = options;
  }

  /**
   * Finds out which of the wanted languages are installed; the others are not on offer, and the logger is
   * told how to mend it. Throws when none is.
   */
  static async open(engine: Runner, options: ResolvedOptions): Promise<Runtime> {
    const definitions = options.languages.map(definitionOf);
    const bash = languages.find('bash');
    const probed = withoutVersions([...definitions, bash]);
    const reports = await probed.probe(engine);
    const installed = new Set(reports.filter(({ available }) => available).map(({ name }) => name));
    const offered = definitions.filter(({ name }) => installed.has(name));
    const missing = definitions.flatMap(({ name }) =>
      reports.filter((report) => report.name === name && !report.available),
    );
    for (const { name, reason } of missing) {
      options.logger?.warn({ language: name, reason }, `${name} is not on offer: ${reason}`);
    }
    if (offered.length === 0) throw noneInstalled(missing);
    const hasBash = installed.has(bash.name);
    const served = offered.map((definition) => asServed(definition, hasBash));
    const names = served.map(({ name }) => name);
    const runtimes = createRuntimes({
      engine,
      registry: createRegistry({ extend: null, languages: served }),
      standby: Object.fromEntries(Object.entries(options.standby).filter(([name]) => names.includes(name))),
      memoryBytes: options.standbyMemoryBytes,
      limits: { ...options.limits, ...limitsOf(FIRST_LIMITS) },
      network: networkOf(options),
    });
    return new Runtime(names, runtimes, options);
  }

  /** Resolves when the program executes, in an interpreter that waited or in a new one. */
  start({ language, code, stdin, env, limits }: ExecuteMessage): Promise<RunnerProcess> {
    return this.#runtimes.spawn({
      language,
      code,
      stdin: stdin ? { text: stdin } : 'empty',
      env: env ?? {},
      limits: { ...this.#options.limits, ...limitsOf(limits) },
      network: networkOf(this.#options),
    });
  }

  /** Resolves when all interpreters that are to wait do so, or cannot. */
  ready(): Promise<void> {
    return this.#runtimes.ready();
  }

  /** Executions served by an interpreter that waited, and by an ordinary start; and those that wait now. */
  standbyCounts(): Record<string, { warm: number; cold: number; waiting: number }> {
    return this.#runtimes.counters();
  }

  close(): Promise<void> {
    return this.#runtimes.close();
  }
}

/** A server that can run nothing would refuse each request of each client. */
function noneInstalled(missing: readonly LanguageReport[]): InvalidOptionsError {
  const hint = missing.map(({ title, reason }) => `${title}: ${reason}`).join(' ');
  const expected = 'must name at least one language that is installed inside the sandbox';
  return new InvalidOptionsError({ field: 'options.languages', rule: 'choice', expected, hint });
}

function definitionOf(wanted: string | LanguageDefinition, index: number): LanguageDefinition {
  const definition = typeof wanted === 'string' ? byExactName(wanted, index) : wanted;
  if (definition.compile === undefined) return definition;
  const expected = 'must be a language without a compile step';
  throw new InvalidOptionsError({ field: `options.languages[${index}]`, rule: 'choice', expected });
}

function byExactName(name: string, index: number): LanguageDefinition {
  const field = `options.languages[${index}]`;
  const language = findAs(field, name);
  if (language.name === name) return language;
  const expected = `must be the name of a language, not an alias: ${language.name}`;
  throw new InvalidOptionsError({ field, rule: 'choice', expected });
}

/** An error names `field`: the registry only knows of an option `language`. */
function findAs(field: string, name: string): LanguageDefinition {
  try {
    return languages.find(name);
  } catch (error) {
    // By code: @sbx/languages may have another copy of the class.
    if (!isSbxError(error) || error.code !== 'SBX_INVALID_OPTIONS') throw error;
    const { rule, expected, got, hint } = error as InvalidOptionsError;
    throw new InvalidOptionsError({ field, rule, expected, got, hint });
  }
}

/** Only what is needed is looked for: asking some for their version takes as long as a run. */
function withoutVersions(definitions: readonly LanguageDefinition[]): Registry {
  const byName = new Map(definitions.map(({ version: _version, ...rest }) => [rest.name, rest]));
  return createRegistry({ extend: null, languages: [...byName.values()] });
}

/** Shell is bash where there is one, as authors of agents expect; Python does not hold output back. */
function asServed(definition: LanguageDefinition, hasBash: boolean): LanguageDefinition {
  if (definition === languages.find('shell') && hasBash) {
    return { ...definition, run: { ...definition.run, file: languages.find('bash').run.file }, needs: [] };
  }
  if (definition !== languages.find('python')) return definition;
  return { ...definition, env: { ...definition.env, PYTHONUNBUFFERED: '1' } };
}

function networkOf({ network }: ResolvedOptions): 'loopback' | undefined {
  return network === 'none' ? undefined : network;
}

/** CPU time is bounded by wall time and the number of CPUs; the protocol knows no other bound. */
function limitsOf({ timeout_ms, memory_mb, cpu_shares }: ExecuteMessage['limits']): Limits {
  const cpuWeight = weightOf(cpu_shares ?? LIMIT_DEFAULTS.cpu_shares);
  return { cpuTimeMs: null, wallTimeMs: timeout_ms, memoryBytes: memory_mb * MB, cpuWeight };
}

/**
 * The default is what a program has without a weight, which needs no controller; only the proportion to other
 * executions can be seen. The far ends of the range have no weight of their own.
 */
function weightOf(shares: number): number | null {
  const weight = Math.round((shares * 100) / LIMIT_DEFAULTS.cpu_shares);
  return weight === 100 ? null : Math.min(WEIGHT_MAX, Math.max(1, weight));
}
