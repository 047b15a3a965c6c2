import { shortAmount, usdText } from '../format.js';
import type { AmountWithCurrency } from '../generated/api.js';

/** An amount with its symbol, the exact one as a title. */
export function Money({
  of,
  usd = false,
}: {
  readonly of: AmountWithCurrency | null | undefined;
  readonly usd?: boolean;
}) {
  if (!of) return <span class="muted">–</span>;
  return (
    <>
      <span class="nowrap" title={`${of.amountFormatted} ${of.currency.symbol} (${of.amount} in the smallest unit)`}>
        {shortAmount(of.amountFormatted)} {of.currency.symbol}
      </span>
      {usd && <span class="sub">{usdText(of.amountUsd)}</span>}
    </>
  );
}
