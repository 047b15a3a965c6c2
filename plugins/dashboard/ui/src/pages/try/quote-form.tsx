import { useEffect, useState } from 'preact/hooks';
import { toSmallest } from '../../format.js';
import type { Operations } from '../../generated/api.js';
import { Choice, TextField } from '../../parts/field.js';
import { Failed } from '../../parts/form-foot.js';
import { chainOf, currenciesOf, currencyOf, useChains } from '../../state/chains.js';
import type { TestAccount } from './devnet.js';

export type Ask = Operations['POST /quote/v2']['body'];

interface Props {
  readonly accounts: readonly TestAccount[];
  readonly busy: boolean;
  readonly problem: string | undefined;
  /** That the service found at fault. */
  readonly field: string | undefined;
  readonly onAsk: (ask: Ask) => void;
}

const fits = (accounts: readonly TestAccount[], vmType: string | undefined, chainId: number) =>
  accounts.filter((one) => one.vmType === vmType && (one.chainId === undefined || one.chainId === chainId));

export function QuoteForm({ accounts, busy, problem, field, onAsk }: Props) {
  const chains = useChains();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [input, setInput] = useState('');
  const [output, setOutput] = useState('');
  const [amount, setAmount] = useState('0.1');
  const [exact, setExact] = useState('EXACT_INPUT');
  const [user, setUser] = useState('');
  const [recipient, setRecipient] = useState('');

  const origin = chainOf(chains, Number(from)) ?? chains[0];
  const destination = chainOf(chains, Number(to)) ?? chains[1] ?? chains[0];
  const inputCurrency = currencyOf(origin, input) ?? origin?.currency;
  const outputCurrency = currencyOf(destination, output) ?? destination?.currency;
  const mine = fits(accounts, origin?.vmType, origin?.id ?? 0);
  const theirs = fits(accounts, destination?.vmType, destination?.id ?? 0);

  // An account of the chain, where one is known.
  useEffect(() => setUser(mine[0]?.address ?? ''), [origin?.id, accounts.length]);
  useEffect(() => setRecipient(theirs[1]?.address ?? ''), [destination?.id, accounts.length]);

  if (!origin || !destination || !inputCurrency || !outputCurrency)
    return <p class="body muted">Waiting for the list of chains…</p>;
  const fixed = exact === 'EXACT_INPUT' ? inputCurrency : outputCurrency;
  const units = toSmallest(amount, fixed.decimals);
  const named = chains.map(({ id, displayName }) => [String(id), displayName] as const);
  const wrong = (name: string) => (field === name ? problem : undefined);

  return (
    <form
      class="body stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (units === undefined) return;
        onAsk({
          user: user.trim(),
          originChainId: origin.id,
          destinationChainId: destination.id,
          originCurrency: inputCurrency.address,
          destinationCurrency: outputCurrency.address,
          amount: units,
          tradeType: exact === 'EXACT_INPUT' ? 'EXACT_INPUT' : 'EXACT_OUTPUT',
          refundTo: user.trim(),
          ...(recipient.trim() === '' ? {} : { recipient: recipient.trim() }),
        });
      }}
    >
      <div class="filters">
        <Choice label="From" value={String(origin.id)} onText={setFrom} options={named} />
        <Choice
          label="Currency in"
          value={inputCurrency.address}
          onText={setInput}
          options={currenciesOf(origin).map(({ address, symbol }) => [address, symbol] as const)}
        />
        <Choice label="To" value={String(destination.id)} onText={setTo} options={named} />
        <Choice
          label="Currency out"
          value={outputCurrency.address}
          onText={setOutput}
          options={currenciesOf(destination).map(({ address, symbol }) => [address, symbol] as const)}
        />
        <Choice
          label="Fixed is"
          value={exact}
          onText={setExact}
          options={[
            ['EXACT_INPUT', 'what I pay'],
            ['EXACT_OUTPUT', 'what arrives'],
          ]}
        />
        <TextField
          label={`Amount, ${fixed.symbol}`}
          value={amount}
          onText={setAmount}
          inputMode="decimal"
          wrong={units === undefined ? `A number with at most ${fixed.decimals} decimals` : wrong('amount')}
        />
      </div>
      <div class="search">
        <TextField label="Payer" wide value={user} onText={setUser} required wrong={wrong('user')} />
        <TextField
          label="Recipient"
          wide
          value={recipient}
          onText={setRecipient}
          wrong={wrong('recipient')}
          hint={origin.vmType === destination.vmType ? 'Empty: the payer' : 'An address on the chain it goes to'}
        />
      </div>
      <Failed problem={field !== 'amount' && field !== 'user' && field !== 'recipient' && problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy || units === undefined || user.trim() === ''}>
          {busy ? 'Asking…' : 'Get a quote'}
        </button>
      </div>
    </form>
  );
}
