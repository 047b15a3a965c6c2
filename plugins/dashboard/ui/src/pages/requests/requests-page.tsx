import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { amountText, count, shortAmount } from '../../format.js';
import type { Hold } from '../../generated/api.js';
import { Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Empty, Show } from '../../parts/states.js';
import { chainName, chainOf, currencyOf, useChains } from '../../state/chains.js';
import { go, href, usePlace } from '../../state/router.js';
import { useTitle } from '../../state/title.js';
import { useAction } from '../../state/use-action.js';
import { useLoad } from '../../state/use-load.js';
import { csvOf, download } from './csv.js';
import { queryOf } from './filters.js';
import { RequestTable } from './request-table.js';
import { SearchForm } from './search-form.js';
import { Views } from './views.js';

const PAGE_SIZE = 25;
const REFRESH_INTERVAL_MS = 10_000;

/** The search is the query of the address, so that it can be shared and is undone by going back. */
export function RequestsPage() {
  useTitle('Requests');
  const { query: search } = usePlace();
  const continuation = search.get('continuation') ?? undefined;
  const query = queryOf(search);
  const found = useLoad(
    search.toString(),
    (signal) =>
      call('GET /requests/v3', {
        query: { ...query, limit: PAGE_SIZE, includeTotal: true, ...(continuation ? { continuation } : {}) },
        signal,
      }),
    continuation ? 0 : REFRESH_INTERVAL_MS,
  );
  const next = found.data?.continuation;
  const filtered = Object.keys(query).length > 0;
  const to = (cursor: string | undefined) => {
    const place = new URLSearchParams(search);
    if (cursor === undefined) place.delete('continuation');
    else place.set('continuation', cursor);
    return href('/requests', place);
  };
  const views = new URLSearchParams(search);
  views.delete('continuation');

  return (
    <>
      <div class="head">
        <h1>Requests</h1>
        <div class="actions">
          <Export query={query} />
        </div>
      </div>
      <SearchForm search={search} />
      <Views search={views.toString()} />
      <Card title="Found" hint={found.data?.total === undefined ? undefined : `${count(found.data.total)} in all`}>
        <Show of={found} lines={8}>
          {({ requests, holds }) =>
            requests.length === 0 && holds !== undefined ? (
              <Held holds={holds} />
            ) : requests.length === 0 ? (
              <Empty title={filtered ? 'No request fits this search' : 'No requests yet'}>
                {filtered ? <a href={href('/requests')}>Clear all filters</a> : <a href={href('/try')}>Try one</a>}
              </Empty>
            ) : (
              <RequestTable requests={requests} />
            )
          }
        </Show>
        {(next !== undefined || continuation !== undefined) && (
          <footer class="row">
            {continuation !== undefined && (
              <>
                <a class="button" href={to(undefined)}>
                  First page
                </a>
                <button type="button" onClick={() => window.history.back()}>
                  Back
                </button>
              </>
            )}
            {next !== undefined && (
              <button type="button" onClick={() => go(to(next))}>
                Next page
              </button>
            )}
          </footer>
        )}
      </Card>
    </>
  );
}

/** Of the transaction that is searched for, where it belongs to no request. */
function Held({ holds }: { readonly holds: readonly Hold[] }) {
  const chains = useChains();
  return (
    <Scroll label="Table of holds">
      <table>
        <thead>
          <tr>
            <th>Hold</th>
            <th>Chain</th>
            <th class="num">Amount</th>
            <th>Why</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {holds.map(({ id, chainId, currency, amount, reason, state }) => {
            const known = currencyOf(chainOf(chains, chainId), currency);
            return (
              <tr key={id}>
                <td>
                  <Hash value={id} what="hold id" />
                </td>
                <td class="nowrap">{chainName(chains, chainId)}</td>
                <td class="num">
                  {known ? `${shortAmount(amountText(amount, known.decimals))} ${known.symbol}` : amount}
                </td>
                <td>{reason}</td>
                <td>{state}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function Export({ query }: { readonly query: ReturnType<typeof queryOf> }) {
  const [rows, setRows] = useState(0);
  const { run, busy, problem } = useAction(async () => download('requests.csv', await csvOf(query, setRows)));
  return (
    <>
      {problem && (
        <span class="note bad" role="alert">
          {problem}
        </span>
      )}
      <button type="button" disabled={busy} onClick={() => void run()}>
        {busy ? `${count(rows)} rows…` : 'Export CSV'}
      </button>
    </>
  );
}
