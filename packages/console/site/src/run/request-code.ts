/** The request of a run as something to copy: for a shell, TypeScript, Python. */
import type { ConsoleLanguage } from '@sbx/console/wire';
import { argsOf, type RunRequest } from './request.js';

const MIB = 2 ** 20;

/** As `POST /run` takes it; one that compiles shows its compile step, whose output the run copies in. */
function wireOf(request: RunRequest, language: ConsoleLanguage): object {
  const env = Object.entries(language.run.env).map(([name, value]) => `${name}=${value}`);
  const sources = [...request.files, { name: language.source, text: request.code }];
  const { compile } = language;
  const step = compile ?? { ...language.run, args: [...language.run.args, ...argsOf(request)] };
  const max = request.outputKib * 1024;
  return {
    cmd: [
      {
        args: step.args,
        env,
        files: [{ content: request.stdin }, { name: 'stdout', max }, { name: 'stderr', max }],
        cpuLimit: request.cpuTimeMs * 1e6,
        clockLimit: request.wallTimeMs * 1e6,
        memoryLimit: request.memoryMib * MIB,
        procLimit: request.processCount,
        copyIn: Object.fromEntries(sources.map(({ name, text }) => [name, { content: text }])),
        ...(compile === null ? {} : { copyOutCached: compile.output }),
      },
    ],
  };
}

/** In single quotes, which end nowhere but at `'`. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export const FORMS = ['curl', 'TypeScript', 'Python'] as const;
export type Form = (typeof FORMS)[number];

export function codeFor(form: Form, request: RunRequest, language: ConsoleLanguage, origin: string): string {
  const json = JSON.stringify(wireOf(request, language), null, 2);
  switch (form) {
    case 'curl':
      return `curl ${shellQuoted(`${origin}/run`)} -H 'Content-Type: application/json' -d ${shellQuoted(json)}\n`;
    case 'TypeScript':
      return `import { runCode } from '@sbx/languages';

const result = await runCode({
  language: ${JSON.stringify(request.language)},
  code: ${JSON.stringify(request.code)},
  stdin: { text: ${JSON.stringify(request.stdin)} },
  args: ${JSON.stringify(argsOf(request))},
  limits: {
    cpuTimeMs: ${request.cpuTimeMs},
    wallTimeMs: ${request.wallTimeMs},
    memoryBytes: ${request.memoryMib} * 2 ** 20,
    processCount: ${request.processCount},
    outputBytes: ${request.outputKib} * 1024,
  },
});
console.log(result.status, result.stdout.text());
`;
    case 'Python':
      // A JSON text is a Python string literal when it is quoted as JSON quotes strings.
      return `import json, urllib.request

body = ${JSON.stringify(JSON.stringify(wireOf(request, language)))}
request = urllib.request.Request(${JSON.stringify(`${origin}/run`)}, body.encode(), {"Content-Type": "application/json"})
print(json.dumps(json.load(urllib.request.urlopen(request)), indent=2))
`;
  }
}
