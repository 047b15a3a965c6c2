import { useRef } from 'preact/hooks';
import { call } from '../../api/client.js';
import { duration } from '../../format.js';
import type { StatusRecord } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Card } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Show } from '../../parts/states.js';
import { chainOf, explorerLink, useChains } from '../../state/chains.js';
import { useChanges } from '../../state/use-changes.js';
import { useLoad } from '../../state/use-load.js';

const REFRESH_INTERVAL_MS = 2_000;

/** What the status was, and when this page saw it first. */
interface Seen {
  readonly status: StatusRecord['status'];
  readonly at: number;
}

/** The status of a request as it changes. It needs no key: the id suffices. */
export function Watch({ requestId }: { readonly requestId: string }) {
  const chains = useChains();
  const seen = useRef<Seen[]>([]);
  const loaded = useLoad(
    requestId,
    (signal) => call('GET /intents/status/v3', { query: { requestId }, signal }),
    REFRESH_INTERVAL_MS,
  );
  useChanges(requestId, loaded.reload);
  const record = loaded.data;
  if (record && seen.current.at(-1)?.status !== record.status)
    seen.current.push({ status: record.status, at: Date.now() });
  const begin = seen.current[0]?.at ?? 0;

  return (
    <Card title="Status">
      <Show of={loaded}>
        {({ inTxHashes, txHashes, originChainId, destinationChainId, failReason, details }) => (
          <div class="body stack">
            <ol class="row plain" aria-live="polite">
              {seen.current.map(({ status, at }) => (
                <li key={at} class="row">
                  <Badge text={status} />
                  {at > begin && <span class="small muted">+{duration(at - begin)}</span>}
                </li>
              ))}
            </ol>
            <dl class="rows">
              <dt>Deposit</dt>
              <dd>
                {inTxHashes.length === 0 ? (
                  <span class="muted">not seen yet</span>
                ) : (
                  inTxHashes.map((hash) => (
                    <Hash
                      key={hash}
                      value={hash}
                      what="deposit hash"
                      link={explorerLink(chainOf(chains, originChainId), 'transaction', hash)}
                    />
                  ))
                )}
              </dd>
              <dt>Fill</dt>
              <dd>
                {txHashes.length === 0 ? (
                  <span class="muted">not sent yet</span>
                ) : (
                  txHashes.map((hash) => (
                    <Hash
                      key={hash}
                      value={hash}
                      what="fill hash"
                      link={explorerLink(chainOf(chains, destinationChainId), 'transaction', hash)}
                    />
                  ))
                )}
              </dd>
              {failReason !== 'N/A' && (
                <>
                  <dt>Reason</dt>
                  <dd>
                    {failReason} {details}
                  </dd>
                </>
              )}
            </dl>
          </div>
        )}
      </Show>
    </Card>
  );
}
