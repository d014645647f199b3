/** The end of the output. Text goes into text nodes alone. */
import { formatCount } from '../units.js';
import type { Piece } from './output-buffer.js';

export interface Shown {
  pieces: readonly Piece[];
  hiddenChars: number;
}

export function Output({ pieces, hiddenChars }: Shown) {
  return (
    <>
      {hiddenChars > 0 && (
        <p class="hint">{formatCount(hiddenChars)} characters before these are not shown.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="output" tabIndex={0} role="log" aria-label="Output" data-total={hiddenChars}>
        {pieces.map(({ text, className }) => (
          <span class={className}>{text}</span>
        ))}
      </pre>
    </>
  );
}
