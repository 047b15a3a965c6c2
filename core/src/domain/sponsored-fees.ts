import type { PricedAmounts, PriceTerms } from './fees.js';
import { valueMicroUsd } from './money.js';

/** Which fees of a quote an app balance can pay. In the order in which a cap is used up. */
export const SPONSOR_COMPONENTS = ['execution', 'swap', 'platform', 'app', 'rent'] as const;
export type SponsorComponent = (typeof SPONSOR_COMPONENTS)[number];

/** Part of `PriceTerms`: the named fees are added to what is paid out. Amounts: input currency, smallest unit. */
export interface SponsorTerms {
  readonly components: readonly SponsorComponent[];
  /** Part of `relayerGas` that opens the recipient's account. */
  readonly rent: string;
  /** Loss of the quoted swaps. */
  readonly swap: string;
  /** Maximum of all together: what was quoted. Absent: while it is quoted. */
  readonly most?: string;
  /** Exactly this instead, whatever the fees are. */
  readonly fixed?: string;
}

type Fees = Readonly<Record<SponsorComponent, bigint>>;

export interface SponsoredPart {
  readonly component: SponsorComponent;
  readonly selected: boolean;
  /** Smallest unit of the input currency, as `sponsored`; what is left of it the user pays. */
  readonly total: bigint;
  readonly sponsored: bigint;
}

/** The gas of a top-up is not sponsored: it goes back to the user where the top-up cannot be delivered. */
export function feesOf(
  { relayerGas, relayerService, app }: Pick<PricedAmounts, 'relayerGas' | 'relayerService' | 'app'>,
  sponsor: Pick<SponsorTerms, 'rent' | 'swap'> | undefined,
  topUpGas = 0n,
): Fees {
  const gas = relayerGas - topUpGas;
  const asked = BigInt(sponsor?.rent ?? '0');
  const rent = asked < gas ? asked : gas;
  return {
    execution: gas - rent,
    swap: BigInt(sponsor?.swap ?? '0'),
    platform: relayerService,
    app: app.reduce((sum, fee) => sum + fee, 0n),
    rent,
  };
}

/** Added to what these fees leave. */
export function sponsoredOf(fees: Fees, { components, most, fixed }: SponsorTerms): bigint {
  if (fixed !== undefined) return BigInt(fixed);
  const all = components.reduce((sum, name) => sum + fees[name], 0n);
  // guard: sponsored-at-most-as-quoted
  return most !== undefined && all > BigInt(most) ? BigInt(most) : all;
}

/** By component, what of `whole` pays for it. */
export function sponsoredParts(
  fees: Fees,
  components: readonly SponsorComponent[],
  whole: bigint,
): readonly SponsoredPart[] {
  let left = whole;
  return SPONSOR_COMPONENTS.map((component) => {
    const [total, selected] = [fees[component], components.includes(component)];
    const sponsored = selected ? (total < left ? total : left) : 0n;
    left -= sponsored;
    return { component, selected, total, sponsored };
  });
}

/** The same terms at another price of the input: never worth more than was quoted. */
export function sponsorAt(terms: PriceTerms, inUsd: string, sponsored?: bigint): Pick<PriceTerms, 'sponsor'> {
  const { sponsor } = terms;
  if (sponsor === undefined) return {};
  const scaled = (amount: bigint): string => {
    const value = (usd: string) => valueMicroUsd(amount, terms.inDecimals, usd, 'ceil');
    const [then, now] = [value(terms.inUsd), value(inUsd)];
    return (now > then ? (amount * then) / now : amount).toString();
  };
  const most = sponsor.most === undefined ? {} : { most: scaled(BigInt(sponsor.most)) };
  return { sponsor: { ...sponsor, ...most, ...(sponsored === undefined ? {} : { fixed: scaled(sponsored) }) } };
}

export function withoutSponsor({ sponsor: _, ...terms }: PriceTerms): PriceTerms {
  return terms;
}
