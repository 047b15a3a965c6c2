import { useEffect, useState } from 'preact/hooks';
import { connected } from '../api/connection.js';
import { signedOut, signIn } from '../api/session.js';
import { TextField } from '../parts/field.js';
import { Logo } from '../parts/icons.js';
import { ThemeSwitch } from '../parts/theme-switch.js';
import { href } from '../state/router.js';
import { useStore } from '../state/store.js';
import { useAction } from '../state/use-action.js';

const LINK = /^#link=(.+)$/;

/** The address stays, so that the page that was asked for follows. */
export function SignIn() {
  const [key, setKey] = useState('');
  const why = useStore(signedOut);
  const up = useStore(connected);
  const { run, busy, problem } = useAction(signIn);

  useEffect(() => {
    document.title = 'Sign in · Causeway';
    const link = LINK.exec(window.location.hash)?.[1];
    if (link === undefined) return;
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
    void run({ link });
  }, []);

  return (
    <div class="signin">
      <main>
        <div class="row">
          <span class="brand">
            <Logo />
          </span>
          <h1>Sign in to Causeway</h1>
        </div>
        {why && (
          <p class="note" role="status">
            {why}
          </p>
        )}
        {!up && (
          <p class="note warn" role="status">
            The service does not answer. This page goes on by itself.
          </p>
        )}
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void run({ key: key.trim() });
          }}
        >
          <TextField
            label="API key or admin key"
            type="password"
            value={key}
            onText={setKey}
            wrong={problem}
            required
            hint="It stays on the server: this browser keeps a session cookie only."
          />
          <button type="submit" class="primary" disabled={busy || key.trim() === ''}>
            {busy ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
        <p class="muted small">
          Operators of a public service: <code>causeway dashboard login</code> prints a link that signs in once.
          Newcomers: <a href={href('/try')}>try a quote without a key</a>.
        </p>
        <ThemeSwitch />
      </main>
    </div>
  );
}
