import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { shortHash } from '../../format.js';
import type { RequestRecord } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { Badge } from '../../parts/badge.js';
import { Card } from '../../parts/card.js';
import { Copy } from '../../parts/copy.js';
import { Empty, Show } from '../../parts/states.js';
import { href } from '../../state/router.js';
import { useTitle } from '../../state/title.js';
import { useChanges } from '../../state/use-changes.js';
import { useLoad } from '../../state/use-load.js';
import { sumText } from './entries.js';
import { Flow } from './flow.js';
import { Parties } from './parties.js';
import { Timeline } from './timeline.js';
import { Transactions } from './transactions.js';

const REFRESH_INTERVAL_MS = 5_000;
const OPEN = new Set(['waiting', 'depositing', 'pending', 'submitted']);

/** One request, and why it went as it did. */
export function RequestPage({ id, admin }: { readonly id: string; readonly admin: boolean }) {
  useTitle(`Request ${shortHash(id)}`);
  const found = useLoad(
    id,
    async (signal) => {
      const query = { id, ...(admin ? {} : { includeAuthenticatedData: true }) };
      const { requests } = await call('GET /requests/v3', { query, signal });
      return requests[0] ?? null;
    },
    REFRESH_INTERVAL_MS,
  );
  const [changes, setChanges] = useState(0);
  useChanges(id, () => {
    found.reload();
    setChanges((n) => n + 1);
  });
  const record = found.data;

  return (
    <>
      <div class="small">
        <a href={href('/requests')}>Requests</a>
      </div>
      <div class="head">
        <h1>
          Request <code title={id}>{shortHash(id)}</code>
        </h1>
        <Copy value={id} what="request id" />
        <span aria-live="polite">{record && <Badge text={record.status} />}</span>
        {record && <span class="muted">{record.requestType}</span>}
        {record && admin && OPEN.has(record.status) && (
          <div class="actions">
            <Act
              label="Refund"
              title="Refund this request"
              danger
              act={() => call('POST /admin/refund', { body: { requestId: id } })}
              onDone={found.reload}
            >
              Gives the request up and pays it back once nothing that was sent for it can land. The service refuses
              where that is not proven, or where it was filled.
            </Act>
          </div>
        )}
      </div>
      <Show of={found} lines={8}>
        {(known) =>
          known === null ? (
            <Unpaid id={id} changes={changes} />
          ) : (
            <Body record={known} changes={changes} admin={admin} />
          )
        }
      </Show>
    </>
  );
}

interface BodyProps {
  readonly record: RequestRecord;
  /** Of the status, that were seen. */
  readonly changes: number;
  readonly admin: boolean;
}

function Body({ record, changes, admin }: BodyProps) {
  const story = useStory(record.id, changes, REFRESH_INTERVAL_MS);
  const credited = story.data?.entries.find(({ decision }) => decision?.creditedUsd !== undefined);
  const held = story.data?.entries.flatMap(({ hold }) => (hold?.state === 'open' ? [hold] : [])) ?? [];
  return (
    <>
      {held.map(({ id, held: sum, reason }) => (
        <p key={id} class="note warn">
          {sumText(sum)} is held: {reason}.{' '}
          {admin ? (
            <>
              It waits for you, under <a href={href('/overview')}>Holds</a>.
            </>
          ) : (
            'It waits for the operator, or for a signature of its depositor (GET /holds).'
          )}
        </p>
      ))}
      <Card title="Amounts and fees">
        <Flow record={record} creditedUsd={credited?.decision?.creditedUsd} />
      </Card>
      <div class="two">
        <div>
          <Card title="What happened">
            <Show of={story}>{(known) => <Timeline of={known} />}</Show>
          </Card>
        </div>
        <div>
          <Card title="Details">
            <Parties record={record} />
          </Card>
        </div>
      </div>
      <Card title="Transactions">
        <Transactions record={record} />
      </Card>
      <section class="card" aria-label="Raw record">
        <details>
          <summary>Raw record (JSON)</summary>
          <Raw value={record} />
        </details>
      </section>
    </>
  );
}

/** A quote that waits for its deposit has a story and no record. */
function Unpaid({ id, changes }: { readonly id: string; readonly changes: number }) {
  const story = useStory(id, changes, 0);
  return (
    <>
      <Empty title="No such request, none that this key may see, or one that is not paid yet" />
      {story.data && (
        <Card title="What happened">
          <Timeline of={story.data} />
        </Card>
      )}
    </>
  );
}

/** @param changes of the status that were seen: each loads it again. */
function useStory(id: string, changes: number, everyMs: number) {
  const story = useLoad(id, (signal) => call('GET /requests/{id}/timeline', { path: { id }, signal }), everyMs);
  const { reload } = story;
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  return story;
}

function Raw({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <div class="row body">
        <Copy value={text} what="the record" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}
