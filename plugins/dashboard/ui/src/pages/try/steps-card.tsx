import type { Quote, Step } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { Copy, Hash } from '../../parts/copy.js';
import { Failed } from '../../parts/form-foot.js';
import { WalletButtons } from '../../parts/wallet-button.js';
import { chainOf, explorerLink, useChains } from '../../state/chains.js';
import { useAction } from '../../state/use-action.js';
import { accountOf, sendCall } from '../../state/wallets.js';
import { sendStep, type TestAccount } from './devnet.js';

export interface Sent {
  readonly step: string;
  readonly chainId: number;
  readonly hash: string;
}

interface Props {
  readonly quote: Quote;
  readonly accounts: readonly TestAccount[];
  readonly sent: readonly Sent[];
  readonly onSent: (sent: Sent) => void;
}

type Data = Readonly<Record<string, unknown>>;

/** Each transaction of the steps, in order, with the chain that it is for. */
function transactionsOf(quote: Quote): readonly (readonly [Step, Data, number])[] {
  const origin = quote.details.currencyIn.currency.chainId;
  return quote.steps.flatMap((step) =>
    step.items.map(({ data }) => [step, data, typeof data['chainId'] === 'number' ? data['chainId'] : origin] as const),
  );
}

/** What the payer has to do, and two ways to have it done here. */
export function StepsCard({ quote, accounts, sent, onSent }: Props) {
  const chains = useChains();
  const payer = quote.details.sender;
  const account = accounts.find(({ address }) => address.toLowerCase() === payer.toLowerCase());
  const transactions = transactionsOf(quote);
  const { run, busy, problem } = useAction(async () => {
    for (const [step, data, chainId] of transactions.slice(sent.length))
      onSent({ step: step.id, chainId, hash: await sendStep(account?.address ?? payer, chainId, data) });
  });
  const done = sent.length >= transactions.length;
  const byWallet =
    quote.steps.every(({ kind }) => kind === 'transaction') &&
    transactions.every(
      ([, { to, data, value }]) =>
        typeof to === 'string' && typeof data === 'string' && typeof value === 'string' && to.startsWith('0x'),
    );

  return (
    <Card title="Steps" hint={`${transactions.length} to send`}>
      <ol class="timeline">
        {transactions.map(([step, data, chainId], at) => {
          const hash = sent[at]?.hash;
          return (
            <li key={at} class={hash ? 'good' : at === sent.length && busy ? 'busy' : ''}>
              <div class="what">
                <span>{step.description}</span>
                <span class="tag">{step.id}</span>
              </div>
              {hash && (
                <Hash
                  value={hash}
                  what="transaction hash"
                  link={explorerLink(chainOf(chains, chainId), 'transaction', hash)}
                />
              )}
              <details class="inline small">
                <summary>What is to be {step.kind === 'signature' ? 'signed' : 'sent'}</summary>
                <div class="secret">
                  <code class="lines break">{JSON.stringify(data, null, 2)}</code>
                  <Copy value={JSON.stringify(data)} what="the data" />
                </div>
              </details>
            </li>
          );
        })}
      </ol>
      {!done && (
        <div class="body stack">
          {account && (
            <div class="row">
              <button type="button" class="primary" disabled={busy} onClick={() => void run()}>
                {busy ? 'Sending…' : 'Send with the test account'}
              </button>
              <span class="muted small">A funded account of this local build; its money is worthless elsewhere.</span>
            </div>
          )}
          <Failed problem={problem} />
          {byWallet && !account && (
            <WalletButtons
              verb="Send with"
              act={async (wallet) => {
                const from = await accountOf(wallet);
                if (from.toLowerCase() !== payer.toLowerCase())
                  throw new Error(`The wallet’s account is ${from}: ask for a quote with it as the payer`);
                for (const [step, data, chainId] of transactions.slice(sent.length))
                  onSent({
                    step: step.id,
                    chainId,
                    hash: await sendCall(wallet, from, chainId, {
                      to: String(data['to']),
                      data: String(data['data']),
                      value: String(data['value']),
                    }),
                  });
              }}
            />
          )}
          {!account && !byWallet && (
            <p class="muted">Send these steps with a wallet of the payer’s chain, then watch the request.</p>
          )}
        </div>
      )}
    </Card>
  );
}
