import { useEffect } from 'preact/hooks';
import { returns } from './api/connection.js';
import { readSession, session } from './api/session.js';
import { Pages } from './pages/pages.js';
import { SignIn } from './pages/sign-in.js';
import { Shell } from './parts/shell.js';
import { Skeleton } from './parts/states.js';
import { onLinkClick, usePlace } from './state/router.js';
import { useStore } from './state/store.js';

export function App() {
  const now = useStore(session);
  const returned = useStore(returns);
  const { path } = usePlace();

  useEffect(() => {
    document.addEventListener('click', onLinkClick);
    return () => document.removeEventListener('click', onLinkClick);
  }, []);
  // A service that came back may know the session no more.
  useEffect(() => {
    if (returned > 0) void readSession();
  }, [returned]);

  const open = path === '/try';
  if (now === undefined)
    return (
      <main class="signin">
        <h1 class="hidden-visually">Causeway</h1>
        <Skeleton />
      </main>
    );
  if (now === null && !open) return <SignIn />;
  return (
    <Shell session={now}>
      <Pages session={now} />
    </Shell>
  );
}
