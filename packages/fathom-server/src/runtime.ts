/** The languages on offer, and how code of one becomes a living program. */
import { InvalidOptionsError, type Limits, type Runner, type RunnerProcess } from '@sbx/core';
import {
  createRegistry,
  createRuntimes,
  type LanguageDefinition,
  type LanguageReport,
  languages,
  type Registry,
  type Runtimes,
} from '@sbx/languages';

/** One program to start. */
export interface Start {
  /** One of `names`. */
  language: string;
  code: string;
  stdin: string;
  env: Record<string, string>;
  limits: Limits;
}

/** Which languages to offer, and which of them wait for code. */
export interface RuntimeOptions {
  languages: readonly (string | LanguageDefinition)[];
  /** Interpreters kept waiting, by language. */
  standby: Readonly<Record<string, number>>;
  standbyMemoryBytes: number;
  /** What the first ones that wait are made for. */
  limits: Limits;
  network: 'none' | 'loopback';
  /** A language that was asked for is not installed; the reason says how to mend it. */
  onMissing(missing: { language: string; reason: string }): void;
}

export class Runtime {
  /** As on the wire, in the order in which they were listed. */
  readonly names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #runtimes: Runtimes;
  readonly #network: 'loopback' | undefined;

  private constructor(names: readonly string[], runtimes: Runtimes, network: 'loopback' | undefined) {
    this.names = names;
    this.#network = network;
    this.#known = new Set(names);
    this.#runtimes = runtimes;
  }

  /**
   * Finds out which of the wanted languages are installed; the others are not on offer. Throws when none is.
   */
  static async open(engine: Runner, options: RuntimeOptions): Promise<Runtime> {
    const definitions = options.languages.map(definitionOf);
    const bash = languages.find('bash');
    const probed = withoutVersions([...definitions, bash]);
    const reports = await probed.probe(engine);
    const installed = new Set(reports.filter(({ available }) => available).map(({ name }) => name));
    const offered = definitions.filter(({ name }) => installed.has(name));
    const missing = definitions.flatMap(({ name }) =>
      reports.filter((report) => report.name === name && !report.available),
    );
    for (const { name, reason } of missing) options.onMissing({ language: name, reason: reason ?? '' });
    if (offered.length === 0) throw noneInstalled(missing);
    const hasBash = installed.has(bash.name);
    const served = offered.map((definition) => asServed(definition, hasBash));
    const names = served.map(({ name }) => name);
    const network = options.network === 'none' ? undefined : options.network;
    const runtimes = createRuntimes({
      engine,
      registry: createRegistry({ extend: null, languages: served }),
      standby: Object.fromEntries(Object.entries(options.standby).filter(([name]) => names.includes(name))),
      memoryBytes: options.standbyMemoryBytes,
      limits: options.limits,
      network,
    });
    return new Runtime(names, runtimes, network);
  }

  /** By its exact name: aliases are no names of the protocol. */
  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** Resolves when the program executes, in an interpreter that waited or in a new one. */
  start({ stdin, env, ...rest }: Start): Promise<RunnerProcess> {
    const input = stdin === '' ? 'empty' : { text: stdin };
    return this.#runtimes.spawn({ ...rest, stdin: input, env, network: this.#network });
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
  const language = languages.find(name);
  if (language.name === name) return language;
  const expected = `must be the name of a language, not an alias: ${language.name}`;
  throw new InvalidOptionsError({ field: `options.languages[${index}]`, rule: 'choice', expected });
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
