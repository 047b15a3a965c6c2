import { shortAmount, usdText } from '../../format.js';
import type { AmountWithCurrency, RequestRecord } from '../../generated/api.js';
import { chainName, useChains } from '../../state/chains.js';
import { promisesNothing } from '../requests/csv.js';

const FEES = [
  ['execution', 'Execution'],
  ['swap', 'Swap'],
  ['platform', 'Service'],
  ['app', 'App'],
  ['sponsored', 'Sponsored'],
] as const;

/**
 * Deposit, what was taken of it, and what came out: what happened, where that is known.
 *
 * @param creditedUsd what the deposit added to an app balance, US dollars; absent: nothing.
 */
export function Flow({
  record,
  creditedUsd,
}: {
  readonly record: RequestRecord;
  readonly creditedUsd: string | undefined;
}) {
  const { data, status } = record;
  const actual = data.route.actual;
  const { origin, destination } = actual ?? data.route.quoted;
  const fees = data.fees.actual ?? data.fees.quoted;
  const output = destination.outputCurrency;
  return (
    <div class="flow">
      <Side
        title={actual ? 'Deposited' : 'To deposit'}
        of={origin.inputCurrency.amount === '0' ? null : origin.inputCurrency}
      />
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
      {promisesNothing(record) ? (
        <Nothing record={record} creditedUsd={creditedUsd} />
      ) : (
        <Side
          title={status === 'success' ? 'Delivered' : status === 'refund' ? 'Promised, refunded instead' : 'Promised'}
          of={output}
          quoted={data.route.quoted.destination.outputCurrency}
        />
      )}
    </div>
  );
}

/** In place of what is delivered, where nothing is. */
function Nothing({ record, creditedUsd }: Parameters<typeof Flow>[0]) {
  const isCall = record.requestType === 'Call';
  return (
    <div>
      <div class="muted small">{isCall ? 'Calls' : creditedUsd ? 'Credited to the app balance' : 'Delivered'}</div>
      <div class={isCall ? 'small' : 'amount'}>
        {isCall ? <code class="wrap">{record.recipient}</code> : creditedUsd ? usdText(creditedUsd) : '–'}
      </div>
      {!isCall && !creditedUsd && (
        <div class="muted small">This transfer has no order: what is not credited goes back</div>
      )}
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
