import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Currency } from '../contract/currency.js';
import { formatUnits } from '../domain/money.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuoteFacts } from './body.js';
import { depositOf } from './plan.js';
import { paidOf } from './plan-stage.js';
import type { UserBalances } from './user-balances.js';

const WAIT_MS = 300;

/** An account that a deposit takes money from. */
interface Source {
  readonly holder: string;
  readonly currency: Currency;
  readonly refuse: (held: bigint, least: bigint) => ApiError | undefined;
}

/**
 * INSUFFICIENT_FUNDS for a payment that leaves its payer, or the account that pays its network fee, more than zero but
 * less than the chain's minimum balance: no node accepts it. No refusal if the balance is unknown.
 */
export function refuseStranded(
  facts: QuoteFacts,
  balances: UserBalances | undefined,
): ApiError | undefined | Promise<ApiError | undefined> {
  const { chain } = paidOf(facts).end;
  if (chain.leastLeft === undefined || balances === undefined || facts.ask.preview) return undefined;
  const limited = [...payment(facts), ...fee(facts)].flatMap((source) => {
    const least = chain.leastLeft?.(source.currency.address);
    return least === undefined ? [] : [{ ...source, least }];
  });
  return limited.length === 0 ? undefined : firstRefusal(chain, balances, limited);
}

async function firstRefusal(
  chain: ChainAdapter,
  balances: UserBalances,
  sources: readonly (Source & { readonly least: bigint })[],
): Promise<ApiError | undefined> {
  for (const { holder, currency, least, refuse } of sources) {
    const held = await balances.of(chain, holder, currency.address, WAIT_MS);
    const refusal = held === undefined ? undefined : refuse(held, least);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Whether no node lets an account keep that much. */
function isStranded(left: bigint, least: bigint): boolean {
  return left > 0n && left < least;
}

/** The account that pays; none where an address is offered, which anyone may pay. */
function payment(facts: QuoteFacts): readonly Source[] {
  const { ask, plan } = facts;
  if (ask.address !== null) return [];
  const { end, amount } = paidOf(facts);
  const { currency } = end;
  const cost = currency.isNative && ask.feePayer === null ? depositOf(plan).payerCost : 0n;
  const refuse = (held: bigint, least: bigint) => {
    const left = held - cost - amount;
    if (!isStranded(left, least)) return undefined;
    const most = held - cost - least;
    const advice = most > 0n ? `at most ${text(most, currency)} can be sent` : 'no part of it can be sent, only all';
    const reason = `the payer's account would keep ${text(left, currency)}, and it has to keep ${text(least, currency)} or nothing: ${advice}`;
    return refused(reason, { field: 'amount', ...(most > 0n ? { maximum: most.toString() } : {}) });
  };
  return [{ holder: ask.user, currency, refuse }];
}

/** The account that pays the fee apart from the payment; likewise. */
function fee(facts: QuoteFacts): readonly Source[] {
  const { ask, plan } = facts;
  const { chain, currency: paid } = paidOf(facts).end;
  if (ask.address !== null || (paid.isNative && ask.feePayer === null)) return [];
  const { currency } = chain.facts;
  const holder = ask.feePayer ?? ask.user;
  const refuse = (held: bigint, least: bigint) => {
    const left = held - depositOf(plan).payerCost;
    if (!isStranded(left, least)) return undefined;
    const reason = `${holder}, which pays the network fee, would keep ${text(left, currency)}, and it has to keep ${text(least, currency)} or nothing: send it at least ${text(least - left, currency)} first`;
    return refused(reason, { field: ask.feePayer === null ? 'user' : 'depositFeePayer' });
  };
  return [{ holder, currency, refuse }];
}

function refused(reason: string, data: { readonly field: string; readonly maximum?: string }): ApiError {
  return apiError('INSUFFICIENT_FUNDS', `The deposit cannot be made: ${reason}`, { ...data, reason });
}

function text(units: bigint, { decimals, symbol }: Currency): string {
  return `${units} (${formatUnits(units, decimals)} ${symbol})`;
}
