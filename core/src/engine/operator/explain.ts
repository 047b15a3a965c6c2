import type { RequestView } from '../../contract/store.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { isPaused } from '../base/pauses.js';
import { isLandedLate, isOutspent } from '../books/unconfirmed.js';
import { isWitnessed } from '../deposits/witness.js';

/** Neither paid nor abandoned yet. */
export function isOpen(leg: Pick<LegRow, 'state'>): boolean {
  return !['done', 'held', 'joined', 'void', 'closed'].includes(leg.state);
}

export function explain(context: EngineContext, view: RequestView, halted: ReadonlySet<string>): string {
  const open = view.legs.filter(isOpen);
  const leg = open.find((one) => factsOf(one).delivers) ?? open[0];
  if (leg) return explainLeg(context, view, leg, halted);
  const waiting = view.deposits.find((deposit) => deposit.decision === 'waiting');
  if (waiting) return explainDeposit(context, view.request, waiting);
  if (view.deposits.length === 0) return 'no deposit was seen';
  return 'nothing works on it: this is a bug';
}

function explainDeposit(context: EngineContext, request: RequestView['request'], deposit: DepositRow): string {
  const chain = context.chains.get(deposit.chainId);
  if (!chain) return `chain ${deposit.chainId} of its deposit is not configured`;
  if (isOutspent(deposit)) return 'what its deposit needs was spent elsewhere; it fails once that is final';
  if (deposit.state === 'mempool') return 'its deposit is not in a block yet';
  if (deposit.state === 'vanished' && isLandedLate(request))
    return 'its deposit waited too long and was abandoned; if it lands, it is refunded';
  if (deposit.state === 'vanished' && request.failReason === 'DOUBLE_SPEND')
    return 'what its deposit needs was spent elsewhere, finally';
  if (deposit.state === 'vanished') return 'its deposit vanished in a reorg and may be included again';
  if (!isWitnessed(context, deposit)) return 'too few RPC providers report its deposit, or one contradicts';
  const depth = chain.acceptDepth(BigInt(deposit.valueUsd));
  const head = context.times.get(deposit.chainId)?.height ?? 0;
  if (deposit.state !== 'final' && deposit.height !== null && head - deposit.height < depth)
    return `its deposit waits for ${depth} blocks on top of it`;
  return 'its deposit came late and waits for prices';
}

function explainLeg(
  context: EngineContext,
  { request }: RequestView,
  leg: LegRow,
  halted: ReadonlySet<string>,
): string {
  const what = `its ${leg.kind}`;
  const chain = context.chains.get(leg.chainId);
  if (!chain) return `${what} is ${leg.state} on chain ${leg.chainId}, which is not configured`;
  if (!chain.lanes.some(({ signer }) => signer === leg.signer))
    return `${what} is ${leg.state} and belongs to signer ${leg.signer}, which is not configured`;
  switch (leg.state) {
    case 'blocked':
      return `${what} waits until its deposit is final`;
    case 'suspended':
      return `${what} waits for its deposit, which vanished in a reorg`;
    case 'bound':
      return leg.includedAt === null
        ? `${what} was signed under ${leg.key ?? 'no key'} and is not included yet`
        : `${what} is included under ${leg.key ?? 'no key'} and not final yet`;
    default: {
      if (halted.has(`${leg.chainId}:${leg.signer}`)) return `${what} is due and its lane is halted`;
      const { delivers, paidWithFill } = factsOf(leg);
      const origin = delivers || paidWithFill ? request.originChainId : leg.chainId;
      const paused = isPaused(context, origin, leg.chainId);
      if (paused) return `${what} is due and its ${paused === 'all' ? 'service' : paused} is paused`;
      return leg.state === 'short' ? `${what} waits: ${leg.reason ?? 'short of inventory'}` : `${what} is due`;
    }
  }
}
