import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { SecretDialog } from '../../parts/secret.js';
import { useTitle } from '../../state/title.js';
import { useLoad } from '../../state/use-load.js';
import { KeysCard } from './keys-card.js';

/** The keys of an integrator, for itself. @param keyId with which it is signed in. */
export function OwnKeysPage({ keyId }: { readonly keyId: string | null }) {
  useTitle('Keys');
  const [secret, setSecret] = useState<string>();
  const loaded = useLoad('own keys', (signal) => call('GET /keys', { signal }));
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
      </div>
      <KeysCard
        of={loaded}
        commands={{ rotate: 'POST /keys/rotate', revoke: 'POST /keys/revoke' }}
        current={keyId}
        onSecret={setSecret}
      />
      <p class="muted small">The operator of this service makes further keys and changes what they may do.</p>
      {secret !== undefined && (
        <SecretDialog title="The new key" secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
