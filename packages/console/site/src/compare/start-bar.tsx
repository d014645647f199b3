/** Starts a comparison or stops it, and says how far it is. */
import type { GradingState } from './use-grading.js';

interface StartBarProps {
  grading: GradingState;
  title: string;
  isReady: boolean;
  onStart(): void;
}

export function StartBar({ grading, title, isReady, onStart }: StartBarProps) {
  return (
    <div class="bar">
      {grading.isRunning ? (
        <button type="button" class="stop" onClick={grading.stop}>
          Stop
        </button>
      ) : (
        <button type="button" class="run" disabled={!isReady} onClick={onStart}>
          {title}
        </button>
      )}
      <span role="status">{grading.told}</span>
    </div>
  );
}
