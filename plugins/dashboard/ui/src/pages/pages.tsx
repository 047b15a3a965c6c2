import { useEffect } from 'preact/hooks';
import type { Session } from '../api/session.js';
import { Empty } from '../parts/states.js';
import { loadChains } from '../state/chains.js';
import { go, href, usePlace } from '../state/router.js';
import { BalancePage } from './balance/balance-page.js';
import { ChainsPage } from './chains/chains-page.js';
import { KeysPage } from './keys/keys-page.js';
import { OwnKeysPage } from './keys/own-keys-page.js';
import { OverviewPage } from './overview/overview-page.js';
import { RequestPage } from './request/request-page.js';
import { RequestsPage } from './requests/requests-page.js';
import { TryPage } from './try/try-page.js';
import { WebhooksPage } from './webhooks/webhooks-page.js';

/** The page that the address names. */
export function Pages({ session }: { readonly session: Session | null }) {
  const { path } = usePlace();
  const admin = session?.role === 'admin';
  useEffect(() => {
    void loadChains();
  }, []);
  useEffect(() => {
    if (path === '/') go(href(admin ? '/overview' : '/requests'), { replace: true });
  }, [path, admin]);

  if (path === '/try') return <TryPage session={session} />;
  if (path === '/') return null;
  const id = /^\/requests\/([^/]+)$/.exec(path)?.[1];
  if (id !== undefined) return <RequestPage key={id} id={decodeURIComponent(id)} admin={admin} />;
  if (path === '/requests') return <RequestsPage />;
  if (path === '/overview' && admin) return <OverviewPage />;
  if (path === '/chains' && admin) return <ChainsPage />;
  if (path === '/keys') return admin ? <KeysPage /> : <OwnKeysPage keyId={session?.keyId ?? null} />;
  if (path === '/balance') return <BalancePage admin={admin} />;
  if (path === '/webhooks') return <WebhooksPage admin={admin} />;
  return (
    <>
      <h1>Nothing is here</h1>
      <Empty title="This page does not exist, or is not open to this key.">
        <a href={href('/')}>To the beginning</a>
      </Empty>
    </>
  );
}
