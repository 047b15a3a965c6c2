import type { Store } from '../../contract/store.js';
import { amountFromMicroUsd, valueMicroUsd } from '../../domain/money.js';
import type { SponsorPromise } from '../../domain/quote.js';
import { type SponsoredCall, selectorOf } from '../../domain/sponsor-policy.js';
import { feesOf } from '../../domain/sponsored-fees.js';
import { apiError } from '../../errors/api-error.js';
import type { Priced } from '../../quoting/plan-stage.js';
import type { Stage } from '../../quoting/stage.js';
import { available, balanceTooLow } from './app-balance.js';
import { sponsorshipOf } from './policy.js';

interface Deps {
  readonly sponsors?: Pick<Store, 'integrator' | 'pot' | 'sponsorPolicy'>;
  readonly clock: { now(): number };
}

/**
 * What the app balance promises for a priced quote; undefined: nothing was asked, or the payer executes alone and there
 * are no fees of the service.
 *
 * A look only: nothing is reserved before a deposit is to be filled, so that quotes hold no balance.
 */
export async function sponsorPromise(
  priced: Priced,
  { sponsors: store, clock }: Deps,
): Promise<Stage<SponsorPromise | undefined>> {
  const { ask, pricing, own } = priced;
  const asked = ask.sponsor;
  if (asked === null) return undefined;
  if (store === undefined) return apiError('UNSUPPORTED_EXECUTION_TYPE', 'No fees are sponsored here');
  const { integratorId, keyId, components, cap } = asked;
  const integrator = await store.integrator(integratorId);
  // guard: quote-sponsor-is-linked
  if (integrator === undefined || integrator.fundingAddress === null)
    return apiError('FORBIDDEN', 'The API key has no linked funding address, and so no app balance that could pay');
  if (own !== undefined) return undefined;
  const { terms, amounts } = pricing;
  const units = amounts.sponsored ?? 0n;
  const microUsd = valueMicroUsd(units, terms.inDecimals, terms.inUsd, 'ceil');
  const sponsorship = await sponsorshipOf(
    store,
    {
      key: { id: keyId, integratorId },
      requestId: NO_ID,
      user: ask.user,
      amount: microUsd,
      calls: callsOf(priced),
    },
    clock.now(),
  );
  if (!sponsorship.ok) return apiError('FORBIDDEN', sponsorship.message, { rule: sponsorship.rule });
  // guard: quotes-need-balance
  if ((await available(store, integratorId)) < microUsd) return balanceTooLow('fees', microUsd);
  const fees = feesOf(amounts, terms.sponsor, BigInt(terms.topUp?.gas ?? '0'));
  const whole = components.reduce((sum, name) => sum + fees[name], 0n);
  return {
    integratorId,
    keyId,
    calls: callsOf(priced).map((call) => ({ ...call, data: selectorOf(call.data) })),
    components,
    ...(cap === null ? {} : { cap: cap.toString() }),
    capHit: cap !== null && amountFromMicroUsd(cap, terms.inDecimals, terms.inUsd, 'floor') < whole,
    quoted: { units: units.toString(), microUsd: microUsd.toString() },
    counters: (sponsorship.sponsored.caps ?? []).map(({ account, most }) => ({
      account,
      ...(most === undefined ? {} : { most: most.toString() }),
    })),
  };
}

/** Its own comes with the reservation. */
const NO_ID = '0x';

/** A transfer without calls counts as one to its recipient: a policy with `targets` allows none but those named. */
function callsOf({ ask }: Priced): readonly SponsoredCall[] {
  const chainId = ask.destination.facts.id;
  const calls = ask.sponsor?.calls ?? [];
  return calls.length > 0 ? calls : [{ chainId, to: ask.recipient, data: '0x' }];
}
