import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { WebhookEndpoint } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { SecretDialog } from '../../parts/secret.js';
import { Empty, Show } from '../../parts/states.js';
import { useTitle } from '../../state/title.js';
import { useLoad } from '../../state/use-load.js';
import { DeliveriesCard } from './deliveries-card.js';
import { EndpointForm } from './endpoint-form.js';
import { EndpointTable } from './endpoint-table.js';

const REFRESH_INTERVAL_MS = 15_000;

/** Undefined: closed; null: a new one. */
type Editing = WebhookEndpoint | null | undefined;

export function WebhooksPage({ admin }: { readonly admin: boolean }) {
  useTitle('Webhooks');
  const [editing, setEditing] = useState<Editing>();
  const [secret, setSecret] = useState<string>();
  const loaded = useLoad('endpoints', (signal) => call('GET /webhooks/endpoints', { signal }), REFRESH_INTERVAL_MS);
  const integrators = useLoad(`integrators ${admin}`, async (signal) =>
    admin ? (await call('GET /admin/integrators', { signal })).integrators : [],
  );

  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        <div class="actions">
          <button type="button" class="primary" onClick={() => setEditing(null)}>
            New endpoint
          </button>
        </div>
      </div>
      <Card title="Endpoints">
        <Show of={loaded}>
          {({ endpoints }) =>
            endpoints.length === 0 ? (
              <Empty title="No endpoint yet">An endpoint receives every status change, signed.</Empty>
            ) : (
              <EndpointTable endpoints={endpoints} onEdit={setEditing} onSecret={setSecret} onDone={loaded.reload} />
            )
          }
        </Show>
      </Card>
      {loaded.data && loaded.data.endpoints.length > 0 && <DeliveriesCard endpoints={loaded.data.endpoints} />}
      {editing !== undefined && (
        <EndpointForm
          of={editing}
          integrators={integrators.data ?? []}
          onClose={() => setEditing(undefined)}
          onDone={(made) => {
            setEditing(undefined);
            setSecret(made);
            loaded.reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The secret that bodies are signed with"
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
