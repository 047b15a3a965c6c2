import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { LaneRow } from '../../contract/store-rows.js';
import { isInfrastructure } from '../base/isolate.js';
import { laneId } from '../base/lanes.js';
import { type LaneContext, matchLane, resume, waitsForOwn } from '../recovery/index.js';
import { refused } from './operator.js';
import type { OperatorOutcome } from './outcomes.js';

/**
 * `matchLane` for an operator, where the chain cannot tell what was sent: the lane goes on once all of that is final, and
 * of each order that was promised before, its chain is asked before the deposit is paid back.
 */
export async function resumeLane(context: LaneContext, chainId: ChainId, signer: string): Promise<OperatorOutcome> {
  const chain = context.chains.get(chainId);
  const lane = await context.store.lane(chainId, signer);
  if (!chain || !lane) return refused('notFound', `there is no lane ${laneId(chainId, signer)}`);
  if (lane.halted === null) return { ok: true, state: 'alreadyDone', message: 'the lane is not halted' };
  try {
    return await resumeHalted(context, chain, lane);
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    // Such as of a chain that a reorg made shorter than it was: nobody there has what was seen before, for a while.
    context.log.warn({ err: error, lane: lane.id }, 'a lane cannot be resumed yet');
    const why = error instanceof Error ? error.message : String(error);
    return refused('notSafe', `its chain does not tell enough now (${why}), try again`);
  }
}

/** @throws where the chain cannot be asked. */
async function resumeHalted(context: LaneContext, chain: ChainAdapter, lane: LaneRow): Promise<OperatorOutcome> {
  const { signer } = lane;
  const done = { ok: true, state: 'alreadyDone', message: 'the lane signs again' } as const;
  const matched = await matchLane(context, chain, signer);
  if (matched.ok) return done;
  // A chain that tells its history tells all of it: what is missing comes by itself.
  const { keys } = chain;
  if (keys.by === 'history') return refused('notSafe', `${matched.why}, try again`);
  const position = await keys.lanePosition(signer);
  if (!keys.positionAhead(position, lane.position))
    return refused('notSafe', `${matched.why}: the providers of the chain lag or disagree, try again`);
  // Signed past a send that a reorg then takes back, what follows waits for a position that nobody fills any more.
  if (keys.positionAhead(position, await keys.lanePosition(signer, 'final')))
    return refused('notSafe', `${matched.why}, and not all that its signer sent is final, try again`);
  const waits = await waitsForOwn(context, lane);
  if (waits) return refused('notSafe', waits.why);
  const resumed = await resume(context, chain, lane, position, 'untold');
  return resumed.ok ? done : refused('notSafe', resumed.why);
}
