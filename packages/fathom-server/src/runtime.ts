/** The languages on offer, and how code of one becomes a living program. */
import { type Engine, InvalidOptionsError, type Limits, type Process } from '@sbx/core';
import {
  createRegistry,
  createRuntimes,
  type LanguageDefinition,
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
}

export class Runtime {
  /** As on the wire, in the order in which they were listed. */
  readonly names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #runtimes: Runtimes;

  private constructor(names: readonly string[], runtimes: Runtimes) {
    this.names = names;
    this.#known = new Set(names);
    this.#runtimes = runtimes;
  }

  /** Finds out which of the wanted languages are installed; the others are not on offer. */
  static async open(engine: Engine, options: RuntimeOptions): Promise<Runtime> {
    const definitions = options.languages.map(definitionOf);
    const bash = languages.find('bash');
    const probed = withoutVersions([...definitions, bash]);
    const reports = await probed.probe(engine);
    const installed = new Set(reports.filter(({ available }) => available).map(({ name }) => name));
    const offered = definitions.filter(({ name }) => installed.has(name));
    const hasBash = installed.has(bash.name);
    const served = offered.map((definition) => asServed(definition, hasBash));
    const names = served.map(({ name }) => name);
    const runtimes = createRuntimes({
      engine,
      registry: createRegistry({ extend: null, languages: served }),
      standby: Object.fromEntries(Object.entries(options.standby).filter(([name]) => names.includes(name))),
      memoryBytes: options.standbyMemoryBytes,
      limits: options.limits,
    });
    return new Runtime(names, runtimes);
  }

  /** By its exact name: aliases are no names of the protocol. */
  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** Resolves when the program executes, in an interpreter that waited or in a new one. */
  start({ stdin, env, ...rest }: Start): Promise<Process> {
    const input = stdin === '' ? 'empty' : { text: stdin };
    return this.#runtimes.spawn({ ...rest, stdin: input, env });
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
