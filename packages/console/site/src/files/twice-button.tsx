/** A button for what cannot be undone: asks once more in its own place, until the focus leaves it. */
import { useState } from 'preact/hooks';

interface TwiceButtonProps {
  title: string;
  /** The question. */
  again: string;
  /** Of what it is about, for who does not see where it stands. */
  name: string;
  onClick(): void;
}

export function TwiceButton({ title, again, name, onClick }: TwiceButtonProps) {
  const [isAsked, setAsked] = useState(false);
  const text = isAsked ? `${again}?` : title;
  return (
    <button
      type="button"
      class={isAsked ? 'asked' : ''}
      aria-label={`${isAsked ? again : title} ${name}`}
      onBlur={() => setAsked(false)}
      onClick={() => {
        setAsked(!isAsked);
        if (isAsked) onClick();
      }}
    >
      {text}
    </button>
  );
}
