import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { LegInstruction } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import type { EngineContext } from './context.js';
import { chainNow } from './context.js';

/** What the adapter is asked to do for a leg, with the amount that goes out now. */
export function instructionOf(context: EngineContext, chain: ChainCodec, leg: LegRow): LegInstruction {
  const base = {
    legId: leg.id,
    currency: leg.currency,
    amount: leg.amount,
    recipient: leg.recipient,
    ...(leg.work === null ? {} : { work: leg.work }),
  };
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const expiration = seconds(chainNow(context, leg.chainId) + context.policy.withdrawalTtlMs);
  switch (leg.kind) {
    case 'fill':
      if (leg.orderId === null) throw new Error(`fill ${leg.id} has no order`);
      return { ...base, kind: 'fill', orderId: leg.orderId, deadline: seconds(leg.deadlineAt) };
    case 'refund':
    case 'excess':
      if (leg.fundingKey === null) throw new Error(`${leg.kind} ${leg.id} has no deposit`);
      return {
        ...base,
        kind: leg.kind,
        fundingKey: leg.fundingKey,
        useKey: chain.useKey(leg.fundingKey, leg.kind),
        expiration,
        covers: leg.covers,
      };
    case 'collect':
      return { ...base, kind: 'collect', useKey: chain.useKey(leg.id, leg.kind), expiration };
    default:
      throw new Error(`no instruction for a ${leg.kind} leg`);
  }
}

/** The same with all that is needed to send it: a collect names the deposits that it takes from. */
export async function instructionToSend(
  context: EngineContext,
  chain: ChainCodec,
  leg: LegRow,
): Promise<LegInstruction> {
  const instruction = instructionOf(context, chain, leg);
  if (instruction.kind !== 'collect') return instruction;
  const deposits = await context.store.depositsOfCollect(leg.id);
  return { ...instruction, fundingKeys: deposits.map(({ fundingKey }) => fundingKey) };
}
