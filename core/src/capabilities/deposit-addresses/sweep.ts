import type { LegRow } from '../../contract/store-rows.js';
import { account, saltOf } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { chainOf, type EngineContext, type LegRules } from '../../engine/base/context.js';
import { baseOf, expirationOf } from '../../engine/base/instruction.js';
import { isReleased, UNREAD } from '../../engine/base/leg-marks.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import type { releaseValue } from '../../engine/books/deposit-life.js';
import { retryLeg } from '../../engine/keys/retry-leg.js';
import { isShut } from '../../engine/payouts/judge-payback.js';
import { asOwed, later, POLL_MS, SLOW_POLL_MS, waitOf } from '../../engine/payouts/turn.js';
import { DONE, sinceOfPayback } from '../../engine/recovery/index.js';
import { sweepGas } from './sweep-gas.js';

const REFUSED_RETRY_DELAY_MS = 30_000;
/** Retry delay of a sweep that costs more than it moves. */
const EXPENSIVE_RETRY_DELAY_MS = 3_600_000;

/**
 * Moves a transfer from its deposit address to the depository. Both are one pot of the books, so only the part that
 * does not arrive is posted. Retried without limit; a refund waits for it.
 */
export const SWEEP: LegRules = {
  instruction: (context, chain, leg) => {
    const { id, fundingKey } = leg;
    const { depositAddresses } = chain.capabilities;
    if (fundingKey === null || depositAddresses === undefined) throw new Error(`${id} has no deposit address`);
    const salt = saltOf(id);
    const useKey = chain.useKey(/* guard: funding-key-of-sweep */ fundingKey, 'sweep');
    const from = { address: depositAddresses.derive(salt), salt };
    return { ...baseOf(leg), kind: 'sweep', fundingKey, useKey, expiration: expirationOf(context, leg), from };
  },
  toSend: async (context, leg, whole) => {
    const { currency } = chainOf(context, leg.chainId).facts;
    if (whole.kind !== 'sweep' || leg.currency !== currency.address) return whole;
    return { ...whole, others: await othersAt(context, leg, whole.from.address) };
  },

  lines: ({ chainId, currency, moved, arrived = moved }) => [
    [
      [account.depository(chainId, currency), BigInt(arrived) - BigInt(moved)],
      [account.transferFees(chainId, currency), BigInt(moved) - BigInt(arrived)],
    ],
  ],

  judge: (context, unit, { leg, doubt }) => {
    const wait = isShut(context, leg) ? POLL_MS : waitOf(doubt);
    if (wait !== null) return later(context, unit, leg, wait);
    if (isReleased(leg) || isWanted(unit, leg)) return asOwed(leg);
    const worth = isWorthIt(context, leg);
    if (worth === undefined) return later(context, unit, leg, SLOW_POLL_MS);
    return worth ? asOwed(leg) : later(context, unit, leg, EXPENSIVE_RETRY_DELAY_MS);
  },
  doubt: (_context, lost, { chainId }) => (lost.isHalted(chainId) ? 'wait' : 'none'),
  rivals: () => [],
  done: DONE,
  askOther: async () => undefined,
  isSpent: ({ reason }) => reason === 'ORDER_ALREADY_FILLED' || reason === 'INVALID_NONCE',
  isTriedAgain: true,
  onRefused: (context, unit, leg, { message }) => {
    unit.update('legs', leg.id, { dueAt: context.clock.now() + REFUSED_RETRY_DELAY_MS, reason: message.slice(0, 200) });
  },
  onBlocked: (_context, _unit, leg) => {
    throw new Error(`${leg.id} stays in the solver's pots: it has no parties`);
  },

  onIncluded: () => {},
  onUndone: () => {},
  onUnread: (_context, unit, leg) => {
    unit.update('legs', leg.id, { state: 'held', reason: UNREAD });
  },
  onClosed: (context, unit, _open, leg, reverted) => retryLeg(context, unit, leg, reverted),
  onFinal: (context, unit, leg) => noteSwept(context, unit, leg),

  since: sinceOfPayback,
  /** Only the service's keys and contracts move money from its addresses. */
  isOurs: () => true,
  countedApart: () => 0n,
  onPaidElsewhere: (context, unit, leg) => noteSwept(context, unit, leg),
};

/** An operator pays the transfer back at any gas price. */
function isWanted(unit: UnitOfWork, { fundingKey }: LegRow): boolean {
  return unit.all('legs').some((one) => one.fundingKey === fundingKey && factsOf(one).refundsPayer && isReleased(one));
}

/** Money without a price is swept. Undefined: fees or prices are not known now. */
export function isWorthIt(
  context: Pick<EngineContext, 'chains' | 'prices'>,
  { chainId, currency, amount }: Pick<LegRow, 'chainId' | 'currency' | 'amount'>,
): boolean | undefined {
  const cost = sweepGas(context, chainOf(context, chainId), currency);
  if (cost?.ok) return amount >= cost.gas;
  // guard: sweeps-need-prices
  return cost?.why === 'unpriceable' ? true : undefined;
}

async function othersAt(
  { store }: Pick<EngineContext, 'store'>,
  { chainId, currency, fundingKey }: LegRow,
  address: string,
): Promise<bigint> {
  const rows = await store.depositsAt(chainId, [address]);
  return rows
    .filter((row) => row.currency === currency && row.fundingKey !== fundingKey && row.sweptAt === null)
    .filter(({ state }) => state === 'included' || state === 'final')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

function noteSwept(context: Parameters<typeof releaseValue>[0], unit: UnitOfWork, leg: LegRow): void {
  if (leg.fundingKey === null) return;
  const now = context.clock.now();
  const deposit = unit.update('deposits', leg.fundingKey, { sweptAt: now });
  for (const one of unit.all('legs')) {
    const waits = one.fundingKey === deposit.fundingKey && factsOf(one).refundsPayer;
    if (waits && one.state === 'owed') unit.update('legs', one.id, { dueAt: now });
  }
}
