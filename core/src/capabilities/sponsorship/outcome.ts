import type { PricedAmounts } from '../../domain/fees.js';
import { amountFromMicroUsd } from '../../domain/money.js';
import type { QuoteBody, SponsorPromise } from '../../domain/quote.js';
import {
  feesOf,
  SPONSOR_COMPONENTS,
  type SponsorComponent,
  type SponsoredPart,
  type SponsorTerms,
  sponsoredParts,
} from '../../domain/sponsored-fees.js';
import type { QuoteFacts } from '../../quoting/body.js';
import { amountView, type CurrencyView } from '../../quoting/currency-view.js';

export type Fees = Readonly<Record<SponsorComponent, bigint>>;

/** Currency of all amounts, and its price in USD; null: unknown. */
export interface Shown {
  readonly view: CurrencyView;
  readonly usd: string | null;
}

/** One side of `feeSponsorship`. @param names by which clients know the components. */
export function outcomeView(
  { view, usd }: Shown,
  parts: readonly SponsoredPart[],
  more: Pick<SponsorPromise, 'cap' | 'capHit'>,
  names: Readonly<Partial<Record<SponsorComponent, string>>> = {},
) {
  const amount = (units: bigint) => amountView(view, units, usd);
  const named = (component: SponsorComponent): string => names[component] ?? component;
  const [total, sponsored] = (['total', 'sponsored'] as const).map((field) =>
    parts.reduce((sum, part) => sum + part[field], 0n),
  ) as [bigint, bigint];
  return {
    selectedComponents: parts.filter((part) => part.selected).map((part) => named(part.component)),
    ...(more.cap === undefined ? {} : { maxSubsidizationAmount: more.cap }),
    capHit: more.capHit,
    components: Object.fromEntries(
      parts.map(({ component, selected, ...part }) => [
        named(component),
        {
          selected,
          total: amount(part.total),
          sponsored: amount(part.sponsored),
          userPays: amount(part.total - part.sponsored),
        },
      ]),
    ),
    sponsoredTotal: amount(sponsored),
    userPaysTotal: amount(total - sponsored),
  };
}

/** Of a quote; empty where nothing is sponsored. */
export function sponsorView({ sponsor, route, market, pricing }: QuoteFacts) {
  if (sponsor === undefined) return {};
  const { terms, amounts } = pricing;
  const fees = feesOf(amounts, terms.sponsor, BigInt(terms.topUp?.gas ?? '0'));
  const shown = { view: route.origin.view, usd: market.inUsd };
  const parts = sponsoredParts(fees, sponsor.components, BigInt(sponsor.quoted.units));
  return { feeSponsorship: { quoted: outcomeView(shown, parts, sponsor, { platform: 'relay' }) } };
}

/** A stablecoin that tops up app balances, one for a US dollar. */
export interface PaidIn {
  readonly chainId: number;
  readonly address: string;
  readonly decimals: number;
}

/**
 * `data.feeSponsorship` of a request.
 *
 * @param actual null before a fill. @param kept gas withheld from a refund. @param paidIn undefined: none is configured.
 */
export function sponsorshipRecord(
  body: QuoteBody,
  origin: Shown,
  actual: PricedAmounts | null,
  kept: bigint,
  paidIn?: PaidIn,
) {
  const { fees, sponsor, terms } = body;
  const components = sponsor?.components ?? [];
  const gas = BigInt(terms.topUp?.gas ?? '0');
  const [relayerGas, relayerService] = [BigInt(fees.relayerGas), BigInt(fees.relayerService)];
  const asQuoted = feesOf({ relayerGas, relayerService, app: [BigInt(fees.app)] }, sponsorTermsOf(body), gas);
  const charged = actual === null ? NO_FEES : feesOf(actual, sponsorTermsOf(body), gas);
  const taken = { ...charged, execution: charged.execution + kept };
  const paid = actual === null ? undefined : (sponsor?.settled ?? sponsor?.open);
  const cap = sponsor?.cap === undefined ? {} : { cap: sponsor.cap };
  const parts = sponsoredParts(taken, components, BigInt(paid?.units ?? '0'));
  const selected = components.reduce((sum, component) => sum + charged[component], 0n);
  const isCapped = sponsor?.capHit === true && paid !== undefined && BigInt(paid.units) < selected;
  return {
    quoted: outcomeView(origin, sponsoredParts(asQuoted, components, BigInt(sponsor?.quoted.units ?? '0')), {
      ...cap,
      capHit: sponsor?.capHit === true,
    }),
    actual: {
      ...outcomeView(origin, parts, { ...cap, capHit: isCapped }),
      ...paymentView(paidIn, body),
    },
    currency: origin.view,
  };
}

/** What the app balance paid for a request, for its fill, failed fills and call. Smallest unit, rounded up. */
export function paymentView(paidIn: PaidIn | undefined, { sponsor, call }: Pick<QuoteBody, 'sponsor' | 'call'>) {
  const parts = [sponsor?.settled?.microUsd, sponsor?.burnt, call?.settled?.microUsd];
  const microUsd = parts.reduce((sum, part) => sum + BigInt(part ?? '0'), 0n);
  if (paidIn === undefined || microUsd === 0n) return {};
  const { decimals, ...currency } = paidIn;
  return {
    sponsorPayment: {
      amount: amountFromMicroUsd(microUsd, decimals, '1', 'ceil').toString(),
      ...currency,
    },
  };
}

/** Also of terms from which a balance that was too low took the sponsor. */
function sponsorTermsOf({ terms, sponsor }: QuoteBody): Pick<SponsorTerms, 'rent' | 'swap'> | undefined {
  return terms.sponsor ?? sponsor?.fees;
}

/** What the app balance paid for the delivered part of the fill; origin currency. */
export function sponsoredActually({ sponsor }: Pick<QuoteBody, 'sponsor'>): bigint {
  return BigInt((sponsor?.settled ?? sponsor?.open)?.units ?? '0');
}

/** By one component alone. @param sponsored absent: all of it. */
export function soleOutcome(origin: Shown, component: SponsorComponent, amount: bigint, sponsored = amount) {
  const fees = { ...NO_FEES, [component]: amount };
  return outcomeView(origin, sponsoredParts(fees, [component], sponsored), { capHit: false });
}

const NO_FEES: Fees = Object.fromEntries(SPONSOR_COMPONENTS.map((name) => [name, 0n])) as Fees;
