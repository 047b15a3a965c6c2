import { useState } from 'preact/hooks';
import { toSmallest } from '../../format.js';
import type { Operations } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { Copy, Hash } from '../../parts/copy.js';
import { Choice, TextField } from '../../parts/field.js';
import { Qr } from '../../parts/qr.js';
import { WalletButtons } from '../../parts/wallet-button.js';
import { chainName, chainOf, useChains } from '../../state/chains.js';
import { accountOf, sendCall } from '../../state/wallets.js';
import { approveData, approveUri, type Deposit, depositData, depositUri } from './deposit-call.js';

type Deposits = Operations['GET /app-balance']['answer']['deposits'];

interface Props {
  readonly deposits: Deposits;
  readonly fundingAddress: string | null;
  readonly onDone: () => void;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A deposit under the balance's own order id, from any account. */
export function TopUp({ deposits, fundingAddress, onDone }: Props) {
  const chains = useChains();
  const [at, setAt] = useState('0');
  const [amount, setAmount] = useState('100');
  const [payer, setPayer] = useState(fundingAddress ?? '');
  const currency = deposits.currencies[Number(at)];
  const chain = currency && chainOf(chains, currency.chainId);
  const units = currency && toSmallest(amount, currency.decimals);
  if (!currency)
    return <Card title="Top up">{<p class="body muted">The operator takes no currency for app balances.</p>}</Card>;
  const depository = chain?.protocol.v2.depository ?? '';
  const deposit: Deposit | undefined =
    chain?.vmType === 'evm' && units !== undefined && units !== '0'
      ? { chainId: chain.id, depository, token: currency.address, amount: units, orderId: deposits.orderId }
      : undefined;
  return (
    <Card title="Top up" hint="One unit for a dollar; credited once the deposit is final">
      <div class="body stack">
        <div class="search">
          <Choice
            label="Currency"
            value={at}
            onText={setAt}
            options={deposits.currencies.map(
              ({ symbol, chainId }, n) => [String(n), `${symbol} on ${chainName(chains, chainId)}`] as const,
            )}
          />
          <TextField
            label="Amount"
            value={amount}
            onText={setAmount}
            inputMode="decimal"
            wrong={units === undefined ? `At most ${currency.decimals} decimals` : undefined}
          />
          <TextField
            label="From the account"
            wide
            value={payer}
            onText={setPayer}
            hint="What cannot be credited goes back there"
          />
        </div>
        <dl class="rows">
          <dt>Depository</dt>
          <dd>
            <Hash value={depository} what="depository" />
          </dd>
          <dt>Order id</dt>
          <dd>
            <Hash value={deposits.orderId} what="order id" />
          </dd>
        </dl>
        {deposit && (
          <>
            <div class="row top">
              <Code title="1. Approve" uri={approveUri(deposit)} />
              {ADDRESS.test(payer) && <Code title="2. Deposit" uri={depositUri(deposit, payer)} />}
            </div>
            <WalletButtons
              verb="Top up with"
              act={async (wallet) => {
                const from = await accountOf(wallet);
                await sendCall(wallet, from, deposit.chainId, { to: deposit.token, data: approveData(deposit) });
                await sendCall(wallet, from, deposit.chainId, {
                  to: deposit.depository,
                  data: depositData(deposit, from),
                });
                onDone();
              }}
            />
          </>
        )}
      </div>
    </Card>
  );
}

function Code({ title, uri }: { readonly title: string; readonly uri: string }) {
  return (
    <figure>
      <figcaption class="row small">
        {title} <Copy value={uri} what={`the link to ${title}`} />
      </figcaption>
      <Qr text={uri} label={`QR code: ${title} in a wallet`} />
    </figure>
  );
}
