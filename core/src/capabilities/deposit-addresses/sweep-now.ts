import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId, FundingKey } from '../../contract/ids.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { decideAndCommit, type WorkContext } from '../../engine/base/context.js';
import { laneFor } from '../../engine/base/lanes.js';
import { isReleased } from '../../engine/base/leg-marks.js';
import { isPaused } from '../../engine/base/pauses.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { refused } from '../../engine/operator/operator.js';
import type { OperatorOutcome, Refusal } from '../../engine/operator/outcomes.js';
import { isShut } from '../../engine/payouts/judge-payback.js';
import { isUnswept } from './swept.js';

export interface SweepAsked {
  readonly fundingKey: FundingKey;
  readonly state: 'owed' | 'inProgress' | 'waits' | 'held';
  readonly message: string;
}

export type SweepOutcome =
  | (Extract<OperatorOutcome, { ok: true }> & { readonly transfers: readonly SweepAsked[] })
  | Refusal;

/** Transfers per command; the oldest first. */
const MAX_TRANSFERS = 500;

/**
 * Sweeps transfers that wait at an address because they are worth less than their sweep.
 *
 * Invariant (G4): only hastens sweeps that are owed already and not signed. The lane sends each once, under its own
 * key.
 */
export async function sweepNow(context: WorkContext, chainId: ChainId, address: string): Promise<SweepOutcome> {
  const chain = context.chains.get(chainId);
  if (chain === undefined) return refused('notApplicable', `chain ${chainId} is not configured`);
  const obstacle = await obstacleOf(context, chain);
  if (obstacle !== undefined) return refused('notApplicable', obstacle);
  const asked = await decideAndCommit(context, 'engine.addresses.sweep', async () => {
    const unit = new UnitOfWork();
    const deposits = await context.store.depositsAt(chainId, [address]);
    const waiting = deposits.filter((one) => isUnswept(chain, one)).slice(0, MAX_TRANSFERS);
    const legs = await context.store.legs(waiting.flatMap(sweepIds));
    const known = new Map(legs.map((leg) => [leg.id, leg]));
    const result = waiting.map((deposit) => askFor(context, unit, deposit, known.get(sweepIds(deposit)[0] ?? '')));
    return { work: unit, result };
  });
  if (asked.some(({ state }) => state === 'owed')) {
    context.log.warn({ chainId, address, transfers: asked.length }, 'an operator sweeps a deposit address');
    context.wake(chainId);
  }
  return outcomeOf(address, asked);
}

async function obstacleOf(context: WorkContext, chain: ChainAdapter): Promise<string | undefined> {
  const { id: chainId, displayName } = chain.facts;
  if (chain.capabilities.depositAddresses?.sweeps !== true)
    return `${displayName} has no sweeps: refunds and collects spend a transfer where it is`;
  const paused = isPaused(context, chainId, chainId) === 'all' ? '--all' : `--chain ${chainId}`;
  if (isShut(context, { chainId })) return `${displayName} is paused: \`causeway resume ${paused}\` first`;
  const signer = laneFor(context, chainId, 'sweep');
  const lane = await context.store.lane(chainId, signer);
  if (lane?.halted == null) return undefined;
  return `the lane of its sweeper is halted (${lane.halted}): \`causeway lane resume ${chainId} ${signer}\` first`;
}

function sweepIds({ salt, fundingKey }: DepositRow): readonly string[] {
  return salt === null ? [] : [legId.sweep(salt, fundingKey)];
}

function askFor(
  { clock }: WorkContext,
  unit: UnitOfWork,
  { fundingKey, decision }: DepositRow,
  leg: LegRow | undefined,
): SweepAsked {
  const said = (state: SweepAsked['state'], message: string): SweepAsked => ({ fundingKey, state, message });
  if (leg === undefined && decision === 'hold')
    return said('held', 'a screener blocks its payer: `causeway hold release` with a recipient sweeps it');
  if (leg === undefined) return said('waits', 'it is not decided yet what the transfer is for');
  if (leg.state === 'bound') return said('inProgress', `signed under ${leg.key}`);
  if (leg.state === 'held')
    return said('held', 'a sweep of it landed and cannot be read: see `causeway audit` and the alerts');
  if (leg.state !== 'owed' && leg.state !== 'blocked') return said('waits', `its sweep is ${leg.state}`);
  const final = leg.state === 'owed';
  const asked = isReleased(leg);
  const now = clock.now();
  if (!asked || (final && leg.dueAt > now)) {
    unit.load('legs', leg);
    unit.update('legs', leg.id, { releasedBy: 'operator', ...(final ? { dueAt: now } : {}) });
  }
  const refusal = leg.reason === null ? '' : `; its chain refused it before: ${leg.reason}`;
  if (asked) return said('inProgress', `asked for before${refusal}`);
  return said('owed', final ? `it is swept now${refusal}` : 'it is swept once the transfer is final');
}

function outcomeOf(address: string, transfers: readonly SweepAsked[]): SweepOutcome {
  const counted = (state: SweepAsked['state']) => transfers.filter((one) => one.state === state).length;
  const [owed, held] = [counted('owed'), counted('held')];
  if (transfers.length === 0)
    return { ok: true, state: 'alreadyDone', message: `nothing at ${address} waits for a sweep`, transfers };
  if (held === transfers.length) return refused('notSafe', `nothing at ${address} is swept: ${transfers[0]?.message}`);
  const message = `${owed} of ${transfers.length} transfers at ${address} are swept now`;
  return { ok: true, state: owed > 0 ? 'owed' : 'inProgress', message, transfers };
}
