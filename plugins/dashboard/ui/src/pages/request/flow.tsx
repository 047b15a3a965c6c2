import { shortAmount, usdText } from '../../format.js';
import type { AmountWithCurrency, RequestRecord } from '../../generated/api.js';
import { chainName, useChains } from '../../state/chains.js';

const FEES = [
  ['execution', 'Execution'],
  ['swap', 'Swap'],
  ['platform', 'Service'],
  ['app', 'App'],
  ['sponsored', 'Sponsored'],
] as const;

/** Deposit, what was taken of it, and what came out: what happened, where that is known. */
export function Flow({ record }: { readonly record: RequestRecord }) {
  const { data, status } = record;
  const actual = data.route.actual;
  const { origin, destination } = actual ?? data.route.quoted;
  const fees = data.fees.actual ?? data.fees.quoted;
  const output = destination.outputCurrency;
  return (
    <div class="flow">
      <Side title={actual ? 'Deposited' : 'To deposit'} of={origin.inputCurrency} />
      <div>
        <div class="muted small">{data.fees.actual ? 'Fees' : 'Fees, as quoted'}</div>
        <dl class="rows">
          {FEES.filter(([name]) => fees[name].amount !== '0' || name === 'platform').map(([name, words]) => [
            <dt key={name}>{words}</dt>,
            <dd key={`${name}-v`} class="num" title={`${fees[name].amountFormatted} ${data.fees.currency.symbol}`}>
              {usdText(fees[name].usd)}
            </dd>,
          ])}
        </dl>
        {data.appFees.quoted.map(({ recipient, bps }) => (
          <div key={recipient} class="small muted">
            App fee of {bps} bps to <code>{recipient}</code>
          </div>
        ))}
      </div>
      <Side
        title={status === 'success' ? 'Delivered' : status === 'refund' ? 'Promised, refunded instead' : 'Promised'}
        of={output}
        quoted={data.route.quoted.destination.outputCurrency}
      />
    </div>
  );
}

interface SideProps {
  readonly title: string;
  readonly of: AmountWithCurrency | null;
  readonly quoted?: AmountWithCurrency | null;
}

function Side({ title, of, quoted }: SideProps) {
  const chains = useChains();
  if (!of)
    return (
      <div>
        <div class="muted small">{title}</div>
        <div class="amount">–</div>
      </div>
    );
  return (
    <div>
      <div class="muted small">{title}</div>
      <div class="amount" title={`${of.amountFormatted} ${of.currency.symbol}`}>
        {shortAmount(of.amountFormatted, 8)} {of.currency.symbol}
      </div>
      <div class="muted small">
        {usdText(of.amountUsd)} on {chainName(chains, of.currency.chainId)}
      </div>
      {quoted && quoted.amount !== of.amount && (
        <div class="muted small">
          quoted {shortAmount(quoted.amountFormatted, 8)} {quoted.currency.symbol}
        </div>
      )}
    </div>
  );
}
