import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import { amountText, shortAmount, usdText } from '../../format.js';
import type { AppFeeBalance } from '../../generated/api.js';
import { Badge } from '../../parts/badge.js';
import { ActionsHead, Card, Scroll } from '../../parts/card.js';
import { Hash } from '../../parts/copy.js';
import { Dialog } from '../../parts/dialog.js';
import { TextField } from '../../parts/field.js';
import { Money } from '../../parts/money.js';
import { Empty, Show } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { ButtonsOf } from '../../parts/wallet-button.js';
import { chainName, chainOf, useChains } from '../../state/chains.js';
import { familyOf, type TextSigner, useTextSigners } from '../../state/text-signers.js';
import { useLoad } from '../../state/use-load.js';

/** What recipients of app fees are owed, and their claims. @param first wallet that is shown. */
export function AppFees({ first }: { readonly first: string }) {
  const [draft, setDraft] = useState(first);
  const [wallet, setWallet] = useState(first);
  return (
    <Card title="App fees" hint="Owed to a recipient of app fees, who claims them by a signature">
      <form
        class="body search"
        onSubmit={(event) => {
          event.preventDefault();
          setWallet(draft.trim());
        }}
      >
        <TextField label="Recipient’s wallet" wide value={draft} onText={setDraft} />
        <button type="submit">Show</button>
      </form>
      {wallet !== '' && <Owed key={wallet} wallet={wallet} />}
    </Card>
  );
}

function Owed({ wallet }: { readonly wallet: string }) {
  const chains = useChains();
  const [claiming, setClaiming] = useState<AppFeeBalance>();
  const path = { wallet };
  const balances = useLoad(`owed ${wallet}`, (signal) => call('GET /app-fees/{wallet}/balances', { path, signal }));
  const claims = useLoad(`claims ${wallet}`, (signal) => call('GET /app-fees/{wallet}/claims', { path, signal }));
  return (
    <>
      <Show of={balances} lines={2}>
        {({ balances: owed }) =>
          owed.length === 0 ? (
            <Empty title="Nothing is owed to this wallet" />
          ) : (
            <Scroll label="Table of app fees">
              <table>
                <thead>
                  <tr>
                    <th>Chain</th>
                    <th class="num">Owed</th>
                    <th class="num">Can be claimed now</th>
                    <ActionsHead />
                  </tr>
                </thead>
                <tbody>
                  {owed.map((one) => (
                    <tr key={`${one.currency.chainId}:${one.currency.address}`}>
                      <td class="nowrap">{chainName(chains, one.currency.chainId)}</td>
                      <td class="num">
                        {shortAmount(one.amountFormatted)} {one.currency.symbol}
                        <span class="sub">{usdText(one.amountUsd)}</span>
                      </td>
                      <td class="num">
                        {shortAmount(amountText(one.claimableAmount, one.currency.decimals))}
                        {one.pendingAmount !== '0' && <Pending of={one} />}
                      </td>
                      <td class="num">
                        <button
                          type="button"
                          class="tight"
                          disabled={one.claimableAmount === '0'}
                          onClick={() => setClaiming(one)}
                        >
                          Claim
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          )
        }
      </Show>
      {claims.data && claims.data.claims.length > 0 && (
        <Scroll label="Table of claims">
          <table>
            <thead>
              <tr>
                <th>Claim</th>
                <th>State</th>
                <th class="num">Amount</th>
                <th>To</th>
                <th class="num">When</th>
              </tr>
            </thead>
            <tbody>
              {claims.data.claims.map(({ claimId, status, currency, recipient, createdAt }) => (
                <tr key={claimId}>
                  <td>
                    <Hash value={claimId} what="claim id" />
                  </td>
                  <td>
                    <Badge text={status} />
                  </td>
                  <td class="num">
                    <Money of={currency} />
                  </td>
                  <td>
                    <Hash value={recipient} what="recipient" />
                  </td>
                  <td class="num">
                    <Time at={createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {claiming && (
        <Claim
          of={claiming}
          wallet={wallet}
          onClose={() => setClaiming(undefined)}
          onDone={() => {
            setClaiming(undefined);
            balances.reload();
            claims.reload();
          }}
        />
      )}
    </>
  );
}

function Pending({ of: { currency, pendingAmount, pendingUntil } }: { readonly of: AppFeeBalance }) {
  return (
    <span class="sub">
      {shortAmount(amountText(pendingAmount, currency.decimals))} more once the fills that earned it are final
      {pendingUntil !== null && (
        <>
          , expected <Time at={pendingUntil} />
        </>
      )}
    </span>
  );
}

interface ClaimProps {
  readonly of: AppFeeBalance;
  readonly wallet: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The wallet signs all terms of the claim: the amount, the currency and the recipient. */
function Claim({ of: { currency }, wallet, onClose, onDone }: ClaimProps) {
  const family = familyOf(wallet);
  const signers = useTextSigners().filter(({ vmType }) => vmType === family);
  const payer = chainOf(useChains(), currency.chainId);
  const [recipient, setRecipient] = useState(payer?.vmType === family ? wallet : '');
  const claim = async (signer: TextSigner) => {
    const account = await signer.account();
    if (!isSame(account.address, wallet)) throw new Error(`The wallet’s account is ${account.address}, not ${wallet}`);
    const body = { chainId: currency.chainId, currency: currency.address, recipient: recipient.trim() };
    const { steps } = await call('POST /app-fees/{wallet}/claim', { path: { wallet }, body });
    for (const { items } of steps)
      for (const { data } of items) {
        const signature = await account.signId(data.sign.message);
        await call('POST /execute/permits', { query: { signature }, body: data.post.body });
      }
    onDone();
  };
  return (
    <Dialog title={`Claim ${currency.symbol}`} onClose={onClose}>
      <p>All that can be claimed now is paid out, less the network fee.</p>
      <TextField
        label="To"
        value={recipient}
        onText={setRecipient}
        required
        hint="An address on the chain that earned the fees"
      />
      <ButtonsOf
        wallets={signers}
        none={
          'No wallet of this browser signs for this address: EVM accounts sign by EIP-6963, Solana accounts by the Wallet ' +
          'Standard. Accounts of other chains sign elsewhere, for POST /app-fees/{wallet}/claim.'
        }
        verb="Sign with"
        act={claim}
        disabled={recipient.trim() === ''}
      />
      <div class="row">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Hex is the same in capital letters; base58 is not. */
const isSame = (one: string, other: string): boolean =>
  one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase());
