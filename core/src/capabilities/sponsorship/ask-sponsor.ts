import type { ChainAdapter } from '../../contract/chain-adapter.js';
import { amountFromMicroUsd, convert, parseAmount } from '../../domain/money.js';
import type { SponsoredCall } from '../../domain/sponsor-policy.js';
import { SPONSOR_COMPONENTS, type SponsorComponent, type SponsorTerms } from '../../domain/sponsored-fees.js';
import { apiError, invalidRequest } from '../../errors/api-error.js';
import type { QuoteAsk, QuoteCaller } from '../../quoting/ask.js';
import type { Market } from '../../quoting/market.js';
import type { PlanStage, Priced } from '../../quoting/plan-stage.js';
import type { Route } from '../../quoting/route.js';
import { refused, type Stage } from '../../quoting/stage.js';

export interface AskedSponsor {
  readonly integratorId: string;
  readonly keyId: string;
  readonly components: readonly SponsorComponent[];
  /** Micro-USD; null: none. */
  readonly cap: bigint | null;
  /** Of the order, for the key's policy. */
  readonly calls: readonly SponsoredCall[];
  /** Known loss of the swaps, micro-USD. */
  readonly lossMicroUsd: bigint;
}

const USUAL: readonly string[] = ['execution', 'swap', 'platform', 'app'];

/** Adds no step: fees stay what they are, but the app balance pays them. */
export const sponsorStage: PlanStage = {
  serves: (feature) =>
    feature === 'subsidizeFees' || feature === 'subsidizeRent' || feature === 'sponsoredFeeComponents',
  add: () => [],
};

/** Null: nothing is asked to be sponsored. Whether the balance may and can pay is looked at once the fees are known. */
export function askedSponsor(
  ask: QuoteAsk,
  caller: QuoteCaller,
  destination: ChainAdapter,
): Stage<AskedSponsor | null> {
  if (ask.subsidizeFees !== true && ask.subsidizeRent !== true) return null;
  const named = ask.subsidizeFees === true ? (ask.sponsoredFeeComponents ?? USUAL) : [];
  // Clients write `relay` for what the record calls `platform`.
  const asked = new Set(named.map((name) => (name === 'relay' ? 'platform' : name)));
  if (ask.subsidizeRent === true) asked.add('rent');
  const components = SPONSOR_COMPONENTS.filter((name) => asked.has(name));
  if (components.length === 0) return invalidRequest('sponsoredFeeComponents', 'must name what is sponsored');
  // guard: sponsor-needs-a-key
  if (caller.keyId === null)
    return apiError('UNAUTHORIZED', 'An API key is required whose app balance pays the fees', {
      field: 'subsidizeFees',
    });
  if (caller.integratorId === undefined)
    return apiError('FORBIDDEN', 'The API key may not spend an app balance: it lacks the scope `execute`');
  const cap = ask.maxSubsidizationAmount === undefined ? null : parseAmount(ask.maxSubsidizationAmount);
  if (cap?.ok === false) return invalidRequest('maxSubsidizationAmount', cap.reason);
  const { integratorId, keyId } = caller;
  const calls = (ask.txs ?? []).map(({ to, data }) => {
    const parsed = destination.parseAddress(to);
    return { chainId: destination.facts.id, to: parsed.ok ? parsed.value : to, data };
  });
  return { integratorId, keyId, components, cap: cap === null ? null : cap.amount, calls, lossMicroUsd: 0n };
}

/** While it is quoted: `most` is the cap. */
export function sponsorTerms(
  asked: AskedSponsor | null,
  { origin, destination }: Route,
  { fillRent, destinationNativeUsd, inUsd }: Market,
): { readonly sponsor?: SponsorTerms } {
  if (asked === null) return {};
  const { decimals } = origin.currency;
  const coin = destination.chain.facts.currency;
  const rent =
    fillRent === undefined ? 0n : convert(fillRent, coin.decimals, destinationNativeUsd, decimals, inUsd, 'ceil');
  const swap = amountFromMicroUsd(asked.lossMicroUsd, decimals, inUsd, 'floor');
  const most = asked.cap === null ? {} : { most: amountFromMicroUsd(asked.cap, decimals, inUsd, 'floor').toString() };
  return { sponsor: { components: asked.components, rent: rent.toString(), swap: swap.toString(), ...most } };
}

const MAX_PASSES = 4;

/**
 * Prices again with the loss of the swaps added, where that is sponsored, until the loss is at least what is added.
 *
 * @param again the same ask with another `lossMicroUsd`.
 */
export async function withSwapsSponsored(
  priced: Priced,
  again: (sponsor: AskedSponsor) => Promise<Stage<Priced>>,
): Promise<Stage<Priced>> {
  const { sponsor, swaps } = priced.ask;
  // A loss without a bound would be an invitation to make pools that lose.
  if (!sponsor?.components.includes('swap') || swaps.anyImpact || lossOfSwaps(priced) === 0n) return priced;
  let added = lossOfSwaps(priced);
  for (let pass = 1; pass < MAX_PASSES; pass += 1) {
    const next = await again({ ...sponsor, lossMicroUsd: added });
    if (refused(next)) return next;
    const loss = lossOfSwaps(next);
    if (loss >= added) return next;
    added = loss;
    if (added === 0n) break;
  }
  return priced;
}

function lossOfSwaps({ swapIn, swap }: Priced): bigint {
  return (swapIn?.lossMicroUsd ?? 0n) + (swap?.lossMicroUsd ?? 0n);
}
