import { microUsdText } from '../../format.js';
import type { BalanceEvent } from '../../generated/api.js';
import { Badge, type Tone } from '../../parts/badge.js';
import { Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Empty } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { chainName, chainOf, explorerLink, useChains } from '../../state/chains.js';
import { href } from '../../state/router.js';

const TONES: Readonly<Record<BalanceEvent['context'], Tone>> = {
  deposit: 'good',
  credit: 'good',
  sponsorship: 'busy',
  debit: 'warn',
  withdrawal: 'warn',
};

/** Changes of a balance, newest first. */
export function Ledger({ events }: { readonly events: readonly BalanceEvent[] }) {
  const chains = useChains();
  if (events.length === 0) return <Empty title="Nothing has changed this balance yet" />;
  return (
    <Scroll label="Table of balance changes">
      <table>
        <thead>
          <tr>
            <th>What</th>
            <th class="num">Amount</th>
            <th>Of</th>
            <th>Why</th>
            <th class="num">When</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ id, context, amount, requestId, chainId, txHash, reason, createdAt }) => (
            <tr key={id}>
              <td>
                <Badge text={context} tone={TONES[context]} />
              </td>
              <td class="num">{microUsdText(amount)}</td>
              <td>
                {requestId && (
                  <a href={href(`/requests/${requestId}`)}>
                    <Hash value={requestId} what="request id" />
                  </a>
                )}
                {txHash && (
                  <Hash
                    value={txHash}
                    what="transaction hash"
                    link={chainId === null ? undefined : explorerLink(chainOf(chains, chainId), 'transaction', txHash)}
                  />
                )}
                {chainId !== null && <span class="sub">{chainName(chains, chainId)}</span>}
              </td>
              <td>{reason ?? <span class="muted">–</span>}</td>
              <td class="num">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
