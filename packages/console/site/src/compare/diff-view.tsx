/** A diff as lines with their sign; text goes into text nodes alone. */
import type { DiffLine } from './diff.js';

const SIGNS = { same: '\u00a0', missing: '-', extra: '+', skipped: '⋯' } as const;
const WORDS = { same: '', missing: 'expected: ', extra: 'printed: ', skipped: '' } as const;

export function DiffView({ name, lines }: { name: string; lines: readonly DiffLine[] }) {
  return (
    <details class="diff">
      <summary>Differences of {name}</summary>
      <p class="hint">
        Lines with <span class="diff-missing">{SIGNS.missing}</span> were expected and not printed; lines with{' '}
        <span class="diff-extra">{SIGNS.extra}</span> were printed and not expected.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="code" tabIndex={0} aria-label={`Differences of ${name}`}>
        {lines.map(({ kind, text }) => (
          <div class={`diff-${kind}`}>
            <span aria-hidden="true">{SIGNS[kind]} </span>
            <span class="words">{WORDS[kind]}</span>
            <span class="line">{text}</span>
          </div>
        ))}
      </section>
    </details>
  );
}
