import { amountText, shortAmount, usdText } from '../../format.js';
import type { Quote } from '../../generated/api.js';
import { Card } from '../../parts/card.js';
import { Money } from '../../parts/money.js';
import { Time } from '../../parts/time.js';

/** What the quote promises, and what it costs. */
export function QuoteCard({ quote }: { readonly quote: Quote }) {
  const { currencyIn, currencyOut, rate, timeEstimate, expiresAt, totalImpact } = quote.details;
  const { gas, relayerGas, relayerService, app } = quote.fees;
  const fees = [
    ['Your gas', gas],
    ['Execution', relayerGas],
    ['Service', relayerService],
    ['App', app],
  ] as const;
  return (
    <Card title="Quote" hint={quote.details.operation}>
      <div class="flow">
        <div>
          <div class="muted small">You pay</div>
          <div class="amount">
            <Money of={currencyIn} />
          </div>
          <div class="muted small">{usdText(currencyIn.amountUsd)}</div>
        </div>
        <div>
          <dl class="rows">
            {fees.map(([words, fee]) => [
              <dt key={words}>{words}</dt>,
              <dd key={`${words}-v`} class="num">
                {usdText(fee.amountUsd)}
              </dd>,
            ])}
            <dt>In all</dt>
            <dd class="num">
              {usdText(totalImpact.usd)} ({totalImpact.percent} %)
            </dd>
          </dl>
        </div>
        <div>
          <div class="muted small">Arrives</div>
          <div class="amount">
            <Money of={currencyOut} />
          </div>
          <div class="muted small">
            {usdText(currencyOut.amountUsd)}, at least{' '}
            {shortAmount(amountText(currencyOut.minimumAmount, currencyOut.currency.decimals))}
          </div>
        </div>
      </div>
      <footer class="row small muted">
        Rate {shortAmount(rate)} · about {timeEstimate} s · expires <Time at={expiresAt} />
      </footer>
    </Card>
  );
}
