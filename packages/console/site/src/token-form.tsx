/** Asks for the token, which stays in memory: a reload asks again. */
import { useState } from 'preact/hooks';

export function TokenForm({ onToken }: { onToken(token: string): void }) {
  const [token, setToken] = useState('');
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(token);
      }}
    >
      <h2>This server asks for a token</h2>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <p class="hint">It is kept in the memory of this page and sent to this server alone.</p>
      <button type="submit">Connect</button>
    </form>
  );
}
