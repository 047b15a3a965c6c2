import { formatUnits } from '../domain/money.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuoteFacts } from './body.js';
import { depositOf } from './plan.js';
import { paidOf } from './plan-stage.js';
import type { UserBalances } from './user-balances.js';

const WAIT_MS = 300;

/**
 * INSUFFICIENT_FUNDS for a payment that leaves its payer more than zero but less than the chain's minimum balance: no
 * node accepts it. No refusal if the balance is unknown.
 */
export function refuseStranded(
  facts: QuoteFacts,
  balances: UserBalances | undefined,
): ApiError | undefined | Promise<ApiError | undefined> {
  const { chain, currency } = paidOf(facts).end;
  const least = chain.leastLeft?.(currency.address);
  if (least === undefined || balances === undefined || facts.ask.preview) return undefined;
  return balances.of(chain, facts.ask.user, currency.address, WAIT_MS).then((held) => judge(facts, least, held));
}

function judge(facts: QuoteFacts, least: bigint, held: bigint | undefined): ApiError | undefined {
  if (held === undefined) return undefined;
  const { ask, plan } = facts;
  const { end, amount } = paidOf(facts);
  const { currency } = end;
  const fee = currency.isNative && ask.feePayer === null ? depositOf(plan).payerCost : 0n;
  const left = held - fee - amount;
  if (left <= 0n || left >= least) return undefined;
  const text = (units: bigint) => `${units} (${formatUnits(units, currency.decimals)} ${currency.symbol})`;
  const most = held - fee - least;
  const advice = most > 0n ? `at most ${text(most)} can be sent` : 'no part of it can be sent, only all';
  const reason = `the payer's account would keep ${text(left)}, and it has to keep ${text(least)} or nothing: ${advice}`;
  return apiError('INSUFFICIENT_FUNDS', `The deposit cannot be made: ${reason}`, {
    ...{ field: 'amount', reason },
    ...(most > 0n ? { maximum: most.toString() } : {}),
  });
}
