/** What `create` is asked for, in one shape. */
import { type Concurrency, concurrencyOf } from './openai-agents-concurrency.js';
import { unsupported } from './openai-agents-faults.js';
import type {
  OpenAIAgentsArchiveLimits,
  OpenAIAgentsCreateArgs,
  OpenAIAgentsFramework,
  OpenAIAgentsManifest,
} from './openai-agents-types.js';

export interface CreateRequest<Manifest> {
  manifest: Manifest;
  archiveLimits: OpenAIAgentsArchiveLimits | null;
  concurrency: Concurrency;
}

/** What the framework's own clients take there as well as beside it. */
const OPTIONS: ReadonlySet<string> = new Set(['snapshot', 'concurrencyLimits', 'archiveLimits']);

/** `create(args)`, or `create(manifest, options)`. What is said beside the options wins over them. */
export function createRequest<Manifest extends OpenAIAgentsManifest>(
  framework: OpenAIAgentsFramework<Manifest>,
  args: OpenAIAgentsCreateArgs | Manifest,
  options: Record<string, unknown> | undefined,
): CreateRequest<Manifest> {
  const given =
    args instanceof framework.Manifest ? { manifest: args, options } : (args as OpenAIAgentsCreateArgs);
  const { options: inner = {}, ...beside } = given;
  for (const [name, value] of Object.entries(inner))
    if (!OPTIONS.has(name) && value !== undefined)
      unsupported(framework, `options.${name}`, 'give createOpenAIAgentsClient what holds for a sandbox.');
  const said = Object.entries(beside).filter(([, value]) => value !== undefined);
  const { manifest, snapshot, archiveLimits, concurrencyLimits }: OpenAIAgentsCreateArgs = {
    ...inner,
    ...Object.fromEntries(said),
  };
  if (snapshot != null && snapshot.type !== 'noop')
    unsupported(
      framework,
      'snapshot',
      'keep what persistWorkspace() returns, and give it to hydrateWorkspace().',
    );
  return {
    manifest: framework.cloneManifest((manifest ?? new framework.Manifest()) as never),
    archiveLimits: archiveLimits ?? null,
    concurrency: concurrencyOf(framework, concurrencyLimits),
  };
}
