/** A text area with its label. */

interface TextProps {
  label: string;
  rows: number;
  value: string;
  change(text: string): void;
}

export function Text({ label, rows, value, change }: TextProps) {
  return (
    <label>
      {label}
      <textarea
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
