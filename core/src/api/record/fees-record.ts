import type { PricedAmounts } from '../../domain/fees.js';
import { priceExactInput } from '../../domain/fees.js';
import { formatUnits, usdValueText } from '../../domain/money.js';
import type { CallPromise, QuoteBody } from '../../domain/quote.js';
import { amountView, type CurrencyView } from '../../quoting/currency-view.js';
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
  const all = (gas: bigint, service: bigint, app: bigint) => ({
    swap: view(0n),
    execution: view(gas),
    platform: view(service),
    app: view(app),
    sponsored: view(0n),
  });
  return {
    quoted: all(BigInt(fees.relayerGas), BigInt(fees.relayerService), BigInt(fees.app)),
    actual: actual && all(actual.relayerGas, actual.relayerService, sum(actual.app)),
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

const COMPONENTS = ['execution', 'swap', 'platform', 'app', 'rent'] as const;

interface Taken {
  readonly execution: bigint;
  readonly platform: bigint;
  readonly app: bigint;
}

/**
 * `data.feeSponsorship`: the user pays every bucket. `actual` has charged fees and gas withheld from a refund; zero
 * before.
 *
 * @param kept withheld from a refund, in the origin currency; zero if that was in another one.
 */
export function sponsorshipRecord(body: QuoteBody, origin: PricedSide, actual: PricedAmounts | null, kept: bigint) {
  const { fees } = body;
  const quoted = { execution: BigInt(fees.relayerGas), platform: BigInt(fees.relayerService), app: BigInt(fees.app) };
  const taken = {
    execution: (actual?.relayerGas ?? 0n) + kept,
    platform: actual?.relayerService ?? 0n,
    app: sum(actual?.app ?? []),
  };
  return { quoted: outcomeOf(origin, quoted), actual: outcomeOf(origin, taken), currency: origin.view };
}

/** The same for a call for others: the app balance pays its fee. @param burnt native coin; null before it is in a block. */
export function callSponsorship({ fee }: CallPromise, origin: PricedSide, burnt: bigint | null) {
  const paid = (execution: bigint) => outcomeOf(origin, { execution, platform: 0n, app: 0n }, ['execution']);
  return { quoted: paid(BigInt(fee)), actual: paid(burnt ?? 0n), currency: origin.view };
}

function outcomeOf(origin: PricedSide, taken: Taken, sponsored: readonly (typeof COMPONENTS)[number][] = []) {
  const amounts: Readonly<Record<(typeof COMPONENTS)[number], bigint>> = { swap: 0n, rent: 0n, ...taken };
  const view = (amount: bigint) => amountView(origin.view, amount, origin.usd);
  const nothing = view(0n);
  const component = (name: (typeof COMPONENTS)[number]) => {
    const [amount, selected] = [amounts[name], sponsored.includes(name)];
    const [total, none] = [view(amount), nothing];
    return { selected, total, sponsored: selected ? total : none, userPays: selected ? none : total };
  };
  const paid = sum(sponsored.map((name) => amounts[name]));
  return {
    selectedComponents: sponsored,
    capHit: false,
    components: Object.fromEntries(COMPONENTS.map((name) => [name, component(name)])),
    sponsoredTotal: view(paid),
    userPaysTotal: view(sum(Object.values(amounts)) - paid),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
