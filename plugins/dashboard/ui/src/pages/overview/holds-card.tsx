import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { amountText, shortAmount } from '../../format.js';
import type { Audit, Chain } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { TextField } from '../../parts/field.js';
import { RequestLink } from '../../parts/request-link.js';
import { Empty } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { chainName, chainOf, currencyOf } from '../../state/chains.js';

interface Props {
  readonly audit: Audit;
  readonly chains: readonly Chain[];
  readonly onDone: () => void;
}

/** Money that could not be refunded by itself. */
export function HoldsCard({ audit, chains, onDone }: Props) {
  return (
    <Card title="Holds" hint={`${audit.openHolds} open`}>
      {audit.holds.length === 0 ? (
        <Empty title="Nothing is held" />
      ) : (
        <Scroll label="Table of holds">
          <table>
            <thead>
              <tr>
                <th>Request or transaction</th>
                <th>Chain</th>
                <th class="num">Amount</th>
                <th>Why</th>
                <th class="num">Since</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {audit.holds.map((hold) => (
                <tr key={hold.id}>
                  <td>
                    {hold.payable ? (
                      <RequestLink id={hold.requestId} />
                    ) : (
                      <Hash value={hold.transactionHash} what="transaction" />
                    )}
                  </td>
                  <td class="nowrap">{chainName(chains, hold.chainId)}</td>
                  <td class="num">{amountOf(hold, chains)}</td>
                  <td>{hold.reason}</td>
                  <td class="num">
                    <Time at={hold.createdAt} />
                  </td>
                  <td class="num">
                    {hold.payable ? (
                      <Release holdId={hold.id} onDone={onDone} />
                    ) : (
                      <Leave holdId={hold.id} onDone={onDone} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  );
}

function amountOf({ chainId, currency, amount }: Audit['holds'][number], chains: readonly Chain[]): string {
  const known = currencyOf(chainOf(chains, chainId), currency);
  return known ? `${shortAmount(amountText(amount, known.decimals))} ${known.symbol}` : amount;
}

function Release({ holdId, onDone }: { readonly holdId: string; readonly onDone: () => void }) {
  const [to, setTo] = useState('');
  const address = to.trim();
  return (
    <Act
      label="Pay out"
      title="Pay this hold out"
      act={() => call('POST /admin/holds/release', { body: { holdId, ...(address === '' ? {} : { to: address }) } })}
      onDone={onDone}
    >
      <div class="stack">
        <p>Pays out what is held, less the network fee. The same again does nothing more.</p>
        <TextField label="To" value={to} onText={setTo} hint="Empty: to its depositor" />
      </div>
    </Act>
  );
}

/** Of a hold that is in no book. */
function Leave({ holdId, onDone }: { readonly holdId: string; readonly onDone: () => void }) {
  return (
    <Act
      label="Remove"
      title="Remove this hold without a payment"
      danger
      act={() => call('POST /admin/holds/release', { body: { holdId, unpaid: true } })}
      onDone={onDone}
    >
      <p>
        This money is in no book, so no one is paid. See to it by hand first; then the hold leaves the list permanently.
      </p>
    </Act>
  );
}
