import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { shortHash } from '../../format.js';
import type { WebhookDelivery, WebhookEndpoint } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Choice } from '../../parts/field.js';
import { Pager, useCursors } from '../../parts/pager.js';
import { RequestLink } from '../../parts/request-link.js';
import { Empty, Show } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { useAction } from '../../state/use-action.js';
import { useLoad } from '../../state/use-load.js';

const PAGE_SIZE = 25;
const REFRESH_INTERVAL_MS = 5_000;

const STATES = [
  ['', 'All'],
  ['failed', 'Failed'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
] as const;

/** What was posted, what came back, and why it failed. */
export function DeliveriesCard({ endpoints }: { readonly endpoints: readonly WebhookEndpoint[] }) {
  const [endpointId, setEndpoint] = useState('');
  const [state, setState] = useState('');
  const cursors = useCursors();
  const continuation = cursors.current;
  const loaded = useLoad(
    `${endpointId} ${state} ${continuation}`,
    (signal) =>
      call('GET /webhooks/deliveries', {
        query: {
          limit: PAGE_SIZE,
          ...(endpointId === '' ? {} : { endpointId }),
          ...(state === '' ? {} : { state: state as WebhookDelivery['state'] }),
          ...(continuation === undefined ? {} : { continuation }),
        },
        signal,
      }),
    continuation === undefined ? REFRESH_INTERVAL_MS : 0,
  );
  const choose = (set: (value: string) => void) => (value: string) => {
    cursors.clear();
    set(value);
  };
  return (
    <Card title="Deliveries">
      <div class="body search">
        <Choice
          label="Endpoint"
          value={endpointId}
          onText={choose(setEndpoint)}
          options={[['', 'All'], ...endpoints.map(({ id, url }) => [id, url] as const)]}
        />
        <Choice label="State" value={state} onText={choose(setState)} options={STATES} />
      </div>
      <Show of={loaded}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title="No delivery fits" />
          ) : (
            <Deliveries deliveries={deliveries} endpoints={endpoints} onDone={loaded.reload} />
          )
        }
      </Show>
      <Pager cursors={cursors} next={loaded.data?.continuation} />
    </Card>
  );
}

interface TableProps {
  readonly deliveries: readonly WebhookDelivery[];
  readonly endpoints: readonly WebhookEndpoint[];
  readonly onDone: () => void;
}

function Deliveries({ deliveries, endpoints, onDone }: TableProps) {
  return (
    <Scroll label="Table of deliveries">
      <table>
        <thead>
          <tr>
            <th>Event</th>
            <th>Request</th>
            <th>State</th>
            <th>Answer</th>
            <th class="num">Attempts</th>
            <th class="num">When</th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {deliveries.map((one) => (
            <tr key={one.id}>
              <td>
                <code title={one.eventId}>{shortHash(one.eventId)}</code>
                <span class="sub">{endpoints.find(({ id }) => id === one.endpointId)?.url ?? one.endpointId}</span>
              </td>
              <td>
                <RequestLink id={one.requestId} />
                <span class="sub">change {one.sequence}</span>
              </td>
              <td>
                <Badge text={one.state} />
                {one.reason && <span class="sub">{one.reason}</span>}
                {one.state === 'pending' && one.nextAttemptAt !== null && (
                  <span class="sub">
                    again <Time at={one.nextAttemptAt} />
                  </span>
                )}
              </td>
              <td>
                <Answer answer={one.answer} />
              </td>
              <td class="num">{one.attempts}</td>
              <td class="num">
                <Time at={one.updatedAt} />
              </td>
              <td class="num">
                <Again id={one.id} onDone={onDone} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Answer({ answer }: { readonly answer: WebhookDelivery['answer'] }) {
  if (!answer) return <span class="muted">–</span>;
  if (answer.body === '') return <>{answer.status}</>;
  return (
    <details class="inline">
      <summary>{answer.status}</summary>
      <code class="break">{answer.body}</code>
    </details>
  );
}

function Again({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const { run, busy, problem } = useAction(async () => {
    const { left } = await call('POST /webhooks/deliveries/replay', { body: { ids: [id] } });
    if (left.length > 0) throw new Error('It is pending already');
    onDone();
  });
  return (
    <>
      <button type="button" class="tight" disabled={busy} onClick={() => void run()}>
        Replay
      </button>
      {problem && (
        <span class="sub" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
