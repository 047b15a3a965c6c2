import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { Act } from '../../parts/act.js';

/** Posts again what happened in a time. A long time is worked through in several calls. */
export function ReplayRange({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [failedOnly, setFailedOnly] = useState(true);
  const replay = async () => {
    const from = Date.parse(since);
    const to = Date.parse(until);
    if (!Number.isFinite(from)) throw new Error('Name a time to begin with');
    let continuation: string | undefined;
    do {
      const body = {
        since: from,
        failedOnly,
        ...(Number.isFinite(to) ? { until: to } : {}),
        ...(continuation === undefined ? {} : { continuation }),
      };
      continuation = (await call('POST /webhooks/endpoints/{id}/replay', { path: { id }, body })).continuation;
    } while (continuation !== undefined);
  };
  return (
    <Act label="Replay" title="Post a range again" act={replay} onDone={onDone}>
      <div class="stack">
        <p>Events keep their ids, and those of one request their order.</p>
        <label class="field">
          From
          <input
            type="datetime-local"
            step="1"
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          To, or empty
          <input
            type="datetime-local"
            step="1"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={(event) => setFailedOnly(event.currentTarget.checked)}
          />
          Only what failed
        </label>
      </div>
    </Act>
  );
}
