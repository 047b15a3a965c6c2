import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { ApiKey } from '../../generated/api.js';
import { SecretDialog } from '../../parts/secret.js';
import { useTitle } from '../../state/title.js';
import { useLoad } from '../../state/use-load.js';
import { GrantKey } from './grant-key.js';
import { IntegratorsCard } from './integrators-card.js';
import { KeysCard } from './keys-card.js';
import { NewKey } from './new-key.js';

export function KeysPage() {
  useTitle('Keys');
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [granting, setGranting] = useState<ApiKey>();
  const loaded = useLoad('keys', async (signal) => {
    const [{ keys }, { integrators }] = await Promise.all([
      call('GET /admin/keys', { signal }),
      call('GET /admin/integrators', { signal }),
    ]);
    return { keys, integrators };
  });
  const integrators = loaded.data?.integrators ?? [];

  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        <div class="actions">
          <button type="button" class="primary" disabled={integrators.length === 0} onClick={() => setMaking(true)}>
            New key
          </button>
        </div>
      </div>
      <KeysCard
        of={loaded}
        commands={{ rotate: 'POST /admin/keys/rotate', revoke: 'POST /admin/keys/revoke' }}
        ownerOf={(id) => integrators.find((one) => one.id === id)?.name ?? id}
        onGrant={setGranting}
        onSecret={setSecret}
      />
      {loaded.data && <IntegratorsCard integrators={integrators} onDone={loaded.reload} />}
      {making && (
        <NewKey
          integrators={integrators}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setSecret(made);
            loaded.reload();
          }}
        />
      )}
      {granting && (
        <GrantKey
          of={granting}
          onClose={() => setGranting(undefined)}
          onDone={() => {
            setGranting(undefined);
            loaded.reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog title="The new key" secret={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
