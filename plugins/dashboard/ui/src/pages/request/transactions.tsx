import { amountText, shortAmount, usdText } from '../../format.js';
import type { RequestRecord, TransactionEntry } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Empty } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { chainName, chainOf, explorerLink, useChains } from '../../state/chains.js';

export function Transactions({ record }: { readonly record: RequestRecord }) {
  const chains = useChains();
  const rows = [
    ...record.data.inTxs.map((one) => ({ ...one, what: 'Deposit' })),
    ...record.data.outTxs.map((one) => ({ ...one, what: isRefund(record, one) ? 'Refund' : 'Fill' })),
  ];
  if (rows.length === 0) return <Empty title="No transaction yet" />;
  return (
    <Scroll label="Table of transactions">
      <table>
        <thead>
          <tr>
            <th>What</th>
            <th>Hash</th>
            <th>Chain</th>
            <th>State</th>
            <th class="num">Block</th>
            <th class="num">Network fee</th>
            <th class="num">When</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ what, txHash, chainId, status, block, fee, feeUsd, timestamp }) => {
            const chain = chainOf(chains, chainId);
            return (
              <tr key={`${what}${txHash}`}>
                <td>{what}</td>
                <td>
                  <Hash value={txHash} what="transaction hash" link={explorerLink(chain, 'transaction', txHash)} />
                </td>
                <td class="nowrap">{chainName(chains, chainId)}</td>
                <td>
                  <Badge text={status} />
                </td>
                <td class="num">{block ?? '–'}</td>
                <td class="num">
                  {chain && /^\d+$/.test(fee)
                    ? `${shortAmount(amountText(fee, chain.currency.decimals))} ${chain.currency.symbol}`
                    : '–'}
                  <span class="sub">{feeUsd === '' ? '' : usdText(feeUsd)}</span>
                </td>
                <td class="num">
                  <Time at={timestamp === null ? null : timestamp * 1000} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scroll>
  );
}

function isRefund({ status, protocol }: RequestRecord, { txHash }: TransactionEntry): boolean {
  const { fills, refunds } = protocol.settlement.destination;
  return refunds.some(({ transactionId }) => transactionId === txHash) || (status === 'refund' && fills.length === 0);
}
