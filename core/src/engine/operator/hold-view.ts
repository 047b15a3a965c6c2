import type { HoldRow } from '../../contract/store-rows.js';
import { chainOf, type EngineContext } from '../base/context.js';
import { isHoldOf } from '../payouts/give-up.js';
import { isClaimable, type Known, messageOf, recipientOn } from './claimable.js';
import { refused } from './operator.js';
import type { HoldOutcome, HoldView } from './outcomes.js';

const MAX_HOLDS = 20;

export async function holdsOf(context: EngineContext, transactionHash: string): Promise<readonly HoldView[]> {
  const holds = await context.store.holdsOfTransaction(transactionHash, MAX_HOLDS);
  return (await knownOf(context, holds)).map((known) => viewOf(context, known));
}

export async function holdNamed(context: EngineContext, id: string, recipient?: string): Promise<HoldOutcome> {
  const hold = await context.store.hold(id);
  const [known] = await knownOf(context, hold ? [hold] : []);
  if (!known) return refused('notFound', `there is no hold ${id}`);
  const view = viewOf(context, known);
  if (recipient === undefined || !view.claimable) return { ok: true, hold: view, message: null };
  const parsed = await recipientOn(context, chainOf(context, known.hold.chainId), recipient);
  if (!parsed.ok) return refused('invalid', parsed.reason);
  return { ok: true, hold: view, message: messageOf(context, known.hold, parsed.value) };
}

async function knownOf({ store }: EngineContext, holds: readonly HoldRow[]): Promise<readonly Known[]> {
  if (holds.length === 0) return [];
  const keys = [...new Set(holds.map(({ fundingKey }) => fundingKey))];
  const [deposits, legs, requests] = await Promise.all([
    store.deposits(keys),
    store.legsOfDeposits(keys),
    store.requests([...new Set(holds.map(({ requestId }) => requestId))]),
  ]);
  return holds.map((hold) => ({
    hold,
    leg: legs.find((one) => isHoldOf(hold, one)),
    deposit: deposits.find(({ fundingKey }) => fundingKey === hold.fundingKey),
    request: requests.find(({ id }) => id === hold.requestId),
  }));
}

function viewOf(context: EngineContext, known: Known): HoldView {
  const { id, transactionHash, chainId, currency, amount, reason, state } = known.hold;
  const depositor = known.deposit?.depositor ?? null;
  const claimable = isClaimable(context, known);
  return { id, transactionHash, chainId, currency, amount, reason, state, depositor, claimable };
}
