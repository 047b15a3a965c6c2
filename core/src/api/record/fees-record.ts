import { type PaidIn, paymentView, soleOutcome, sponsoredActually } from '../../capabilities/sponsorship/outcome.js';
import type { PricedAmounts } from '../../domain/fees.js';
import { priceExactInput } from '../../domain/fees.js';
import { formatUnits, usdValueText } from '../../domain/money.js';
import type { CallPromise, QuoteBody } from '../../domain/quote.js';
import type { CurrencyView } from '../../quoting/currency-view.js';
import type { PricedSide } from './currencies.js';

interface FeeView {
  readonly usd: string;
  readonly amount: string;
  readonly amountFormatted: string;
}

type FeeName = 'swap' | 'execution' | 'platform' | 'app' | 'sponsored';

/** `data.fees`, in the origin currency. `actual` is null before a fill. */
export interface FeesRecord {
  readonly quoted: Readonly<Record<FeeName, FeeView>>;
  readonly actual: Readonly<Record<FeeName, FeeView>> | null;
  readonly currency: CurrencyView;
}

export function feesRecord(body: QuoteBody, origin: PricedSide, actual: PricedAmounts | null): FeesRecord {
  const { fees } = body;
  const view = (amount: bigint): FeeView => ({
    usd: origin.usd === null ? '0' : usdValueText(amount, origin.view.decimals, origin.usd),
    amount: amount.toString(),
    amountFormatted: formatUnits(amount, origin.view.decimals),
  });
  const all = (gas: bigint, service: bigint, app: bigint, sponsored: bigint) => ({
    swap: view(0n),
    execution: view(gas),
    platform: view(service),
    app: view(app),
    sponsored: view(sponsored),
  });
  const quoted = BigInt(body.sponsor?.quoted.units ?? '0');
  return {
    quoted: all(BigInt(fees.relayerGas), BigInt(fees.relayerService), BigInt(fees.app), quoted),
    actual: actual && all(actual.relayerGas, actual.relayerService, sum(actual.app), sponsoredActually(body)),
    currency: origin.view,
  };
}

/** `data.appFees`: one entry per recipient, amounts in the origin currency. */
export function appFeesRecord(body: QuoteBody, origin: PricedSide, actual: PricedAmounts | null) {
  const quoted = priceExactInput(BigInt(body.amountIn), body.terms);
  const entries = (amounts: PricedAmounts) =>
    body.terms.appFees.map(({ recipient, bps }, index) => {
      const amount = amounts.app[index] ?? 0n;
      return {
        recipient,
        bps: bps.toString(),
        amount: amount.toString(),
        amountFormatted: formatUnits(amount, origin.view.decimals),
        amountUsd: origin.usd === null ? '0' : usdValueText(amount, origin.view.decimals, origin.usd),
      };
    });
  return {
    quoted: quoted.ok ? entries(quoted.amounts).map(({ amountUsd: _, ...entry }) => entry) : [],
    actual: actual ? entries(actual) : [],
    currency: origin.view,
  };
}

/** `data.feeSponsorship` of a call for others: the app balance pays its fee. @param burnt native coin; null before it is in a block. */
export function callSponsorship(call: CallPromise, origin: PricedSide, burnt: bigint | null, paidIn?: PaidIn) {
  const sponsored = call.settled === undefined ? undefined : BigInt(call.settled.units);
  return {
    quoted: soleOutcome(origin, 'execution', BigInt(call.fee)),
    actual: { ...soleOutcome(origin, 'execution', burnt ?? 0n, sponsored), ...paymentView(paidIn, { call }) },
    currency: origin.view,
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
