/** Counts as a table with a bar in each row: a plot that a screen reader can read. */

interface BarsProps {
  caption: string;
  head: readonly [string, string];
  rows: readonly (readonly [string, number])[];
}

export function Bars({ caption, head, rows }: BarsProps) {
  if (rows.length === 0) return null;
  const max = Math.max(...rows.map(([, count]) => count));
  return (
    <table class="bars">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{head[0]}</th>
          <th scope="col">{head[1]}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, count]) => (
          <tr>
            <th scope="row">{label}</th>
            <td>
              <meter min={0} max={max} value={count} aria-label={label} /> {count}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
