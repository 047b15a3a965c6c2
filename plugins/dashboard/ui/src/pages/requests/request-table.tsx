import type { RequestRecord } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Scroll } from '../../parts/card.js';
import { Money } from '../../parts/money.js';
import { RequestLink } from '../../parts/request-link.js';
import { Time } from '../../parts/time.js';
import { chainName, useChains } from '../../state/chains.js';
import { promisesNothing, routeOf } from './csv.js';

export function RequestTable({ requests }: { readonly requests: readonly RequestRecord[] }) {
  const chains = useChains();
  return (
    <Scroll label="Requests found">
      <table>
        <thead>
          <tr>
            <th>Request</th>
            <th>Status</th>
            <th>Type</th>
            <th>Route</th>
            <th class="num">In</th>
            <th class="num">Out</th>
            <th class="num">Created</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((record) => {
            const { origin, destination } = routeOf(record);
            return (
              <tr key={record.id}>
                <td>
                  <RequestLink id={record.id} />
                </td>
                <td>
                  <Badge text={record.status} />
                  {record.data.failReason && <span class="sub">{record.data.failReason}</span>}
                </td>
                <td class="nowrap">
                  {record.requestType}
                  {record.features.length > 0 && <span class="sub">{record.features.join(', ')}</span>}
                </td>
                <td class="nowrap">
                  {chainName(chains, origin.inputCurrency.currency.chainId)} →{' '}
                  {chainName(chains, destination.inputCurrency.currency.chainId)}
                </td>
                <td class="num">
                  <Money of={origin.inputCurrency.amount === '0' ? null : origin.inputCurrency} usd />
                </td>
                <td class="num">
                  {promisesNothing(record) ? <Nothing of={record} /> : <Money of={destination.outputCurrency} usd />}
                </td>
                <td class="num">
                  <Time at={record.createdAt} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function Nothing({ of: { status, requestType } }: { readonly of: RequestRecord }) {
  const isCredit = status === 'success' && requestType !== 'Call';
  return <span class="muted">{isCredit ? 'credited' : '–'}</span>;
}
