import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { microUsdText, toSmallest } from '../../format.js';
import type { ListedBalance } from '../../generated/api.js';
import { Act } from '../../parts/act.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { TextField } from '../../parts/field.js';
import { Empty, Show } from '../../parts/states.js';
import { useLoad } from '../../state/use-load.js';
import { Ledger } from './ledger.js';

export function AllBalances() {
  const [chosen, setChosen] = useState<string>();
  const loaded = useLoad('balances', (signal) => call('GET /admin/balances', { signal }));
  return (
    <>
      <Card title="Balances" hint="What integrators may sponsor">
        <Show of={loaded}>
          {({ balances }) =>
            balances.length === 0 ? (
              <Empty title="No integrator yet" />
            ) : (
              <Scroll label="Table of balances">
                <table>
                  <thead>
                    <tr>
                      <th>Integrator</th>
                      <th>Funding address</th>
                      <th class="num">Balance</th>
                      <th class="num">Reserved</th>
                      <th class="num">Available</th>
                      <ActionsHead />
                    </tr>
                  </thead>
                  <tbody>
                    {balances.map((one) => (
                      <Row
                        key={one.integratorId}
                        of={one}
                        onLedger={() => setChosen(one.integratorId)}
                        onDone={loaded.reload}
                      />
                    ))}
                  </tbody>
                </table>
              </Scroll>
            )
          }
        </Show>
      </Card>
      {chosen !== undefined && (
        <Details
          key={`${chosen} ${loaded.data?.balances.find((one) => one.integratorId === chosen)?.balance}`}
          integratorId={chosen}
        />
      )}
    </>
  );
}

function Row({
  of,
  onLedger,
  onDone,
}: {
  readonly of: ListedBalance;
  readonly onLedger: () => void;
  readonly onDone: () => void;
}) {
  return (
    <tr>
      <td>
        {of.name}
        <span class="sub">{of.integratorId}</span>
      </td>
      <td>
        {of.fundingAddress ? (
          <Hash value={of.fundingAddress} what="funding address" />
        ) : (
          <span class="muted">none</span>
        )}
      </td>
      <td class="num">{microUsdText(of.balance)}</td>
      <td class="num">{microUsdText(of.reserved)}</td>
      <td class="num">{microUsdText(of.available)}</td>
      <td>
        <div class="row end">
          <button type="button" class="tight" onClick={onLedger}>
            Ledger
          </button>
          <Change
            of={of}
            operation="POST /admin/balances/credit"
            label="Credit"
            words="Adds to what the integrator may sponsor. Moves no money."
            onDone={onDone}
          />
          <Change
            of={of}
            operation="POST /admin/balances/debit"
            label="Debit"
            words="Takes from what is not reserved."
            onDone={onDone}
          />
          <Change
            of={of}
            operation="POST /admin/balances/withdraw"
            label="Withdraw"
            words="Records what was refunded outside the service. Moves no money."
            onDone={onDone}
          />
        </div>
      </td>
    </tr>
  );
}

interface ChangeProps {
  readonly of: ListedBalance;
  readonly operation: 'POST /admin/balances/credit' | 'POST /admin/balances/debit' | 'POST /admin/balances/withdraw';
  readonly label: string;
  readonly words: string;
  readonly onDone: () => void;
}

function Change({ of, operation, label, words, onDone }: ChangeProps) {
  const [usd, setUsd] = useState('');
  const [reason, setReason] = useState('');
  // One name for this change: sent again after a lost answer, it changes nothing more.
  const [changeId, setChangeId] = useState(() => crypto.randomUUID());
  return (
    <Act
      label={label}
      title={`${label}: ${of.name}`}
      act={async () => {
        const amount = toSmallest(usd, 6);
        if (amount === undefined) throw new Error('The amount must be dollars with at most six decimals');
        await call(operation, { body: { integratorId: of.integratorId, amount, reason: reason.trim(), changeId } });
        setChangeId(crypto.randomUUID());
        setUsd('');
      }}
      onDone={onDone}
    >
      <div class="stack">
        <p>{words}</p>
        <TextField label="Amount in US dollars" value={usd} onText={setUsd} inputMode="decimal" required />
        <TextField label="Reason" value={reason} onText={setReason} hint="Kept, and shown to the integrator" required />
      </div>
    </Act>
  );
}

function Details({ integratorId }: { readonly integratorId: string }) {
  const loaded = useLoad(integratorId, (signal) =>
    call('GET /admin/balances/details', { query: { integratorId }, signal }),
  );
  return (
    <Card title={`Ledger of ${loaded.data?.balance.name ?? integratorId}`} hint="The last hundred changes">
      <Show of={loaded}>{({ events }) => <Ledger events={events} />}</Show>
    </Card>
  );
}
