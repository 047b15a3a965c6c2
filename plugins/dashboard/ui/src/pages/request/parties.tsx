import type { RequestRecord } from '../../generated/api.js';
import { Hash } from '../../parts/copy.js';
import { Time } from '../../parts/time.js';
import { chainOf, explorerLink, useChains } from '../../state/chains.js';
import { href } from '../../state/router.js';

/** Who and what the request concerns. */
export function Parties({ record }: { readonly record: RequestRecord }) {
  const chains = useChains();
  const { data } = record;
  const origin = chainOf(chains, data.route.quoted.origin.inputCurrency.currency.chainId);
  const destination = chainOf(chains, data.route.quoted.destination.inputCurrency.currency.chainId);
  const address = (value: string | null, chain: typeof origin, what: string) =>
    value ? (
      <Hash value={value} what={what} link={explorerLink(chain, 'address', value)} />
    ) : (
      <span class="muted">–</span>
    );
  return (
    <dl class="rows body">
      <dt>User</dt>
      <dd>{address(record.user, origin, 'user')}</dd>
      <dt>Recipient</dt>
      <dd>{address(record.recipient, destination, 'recipient')}</dd>
      <dt>Refund to</dt>
      <dd>{address(record.refundTo, origin, 'refund address')}</dd>
      {record.depositAddress && (
        <>
          <dt>Deposit address</dt>
          <dd>
            {address(record.depositAddress.address, origin, 'deposit address')}{' '}
            <span class="tag">{record.depositAddress.type}</span>
          </dd>
        </>
      )}
      <dt>Order</dt>
      <dd>{record.protocol.orderId ? <Hash value={record.protocol.orderId} what="order id" /> : '–'}</dd>
      {record.parentRequestId && (
        <>
          <dt>Parent</dt>
          <dd>
            <a href={href(`/requests/${record.parentRequestId}`)}>
              <code>{record.parentRequestId}</code>
            </a>
          </dd>
        </>
      )}
      <dt>Slippage</dt>
      <dd>{data.slippageTolerance} bps</dd>
      <dt>Routers</dt>
      <dd>
        {data.route.quoted.origin.router || '–'} → {data.route.quoted.destination.router || '–'}
      </dd>
      {data.apiKeyName && (
        <>
          <dt>Key</dt>
          <dd>{data.apiKeyName}</dd>
        </>
      )}
      {data.referrer && (
        <>
          <dt>Referrer</dt>
          <dd>{data.referrer}</dd>
        </>
      )}
      <dt>Features</dt>
      <dd>{record.features.length === 0 ? '–' : record.features.join(', ')}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={record.createdAt} />
      </dd>
      <dt>Updated</dt>
      <dd>
        <Time at={record.updatedAt} />
      </dd>
    </dl>
  );
}
