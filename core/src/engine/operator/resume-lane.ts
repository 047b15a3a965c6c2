import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { LaneRow } from '../../contract/store-rows.js';
import { isInfrastructure } from '../base/isolate.js';
import { laneId } from '../base/lanes.js';
import { type LaneContext, matchLane, resume, waitsForOwn } from '../recovery/index.js';
import { refused } from './operator.js';
import type { OperatorOutcome } from './outcomes.js';

/**
 * `matchLane` by command, where the chain cannot report what was sent: continues once those sends are final. Earlier
 * orders' chains are asked before refunds.
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
    // The chain cannot answer yet, for example after a reorg made it shorter.
    context.log.warn({ err: error, lane: lane.id }, 'a lane cannot be resumed yet');
    const why = error instanceof Error ? error.message : String(error);
    return refused('notSafe', `its chain does not return enough now (${why}), try again`);
  }
}

/** @throws where the chain does not answer. */
async function resumeHalted(context: LaneContext, chain: ChainAdapter, lane: LaneRow): Promise<OperatorOutcome> {
  const { signer } = lane;
  const done = { ok: true, state: 'alreadyDone', message: 'the lane signs again' } as const;
  const matched = await matchLane(context, chain, signer);
  if (matched.ok) return done;
  // A chain history is complete: missing sends are found in it without a command.
  const { keys } = chain;
  if (keys.by === 'history') return refused('notSafe', `${matched.why}, try again`);
  const position = await keys.lanePosition(signer);
  if (!keys.positionAhead(position, lane.position))
    return refused('notSafe', `${matched.why}: the providers of the chain lag or disagree, try again`);
  // If a reorg removed an earlier send, later positions would wait for ever.
  // guard: resume-after-final
  if (keys.positionAhead(position, await keys.lanePosition(signer, 'final')))
    return refused('notSafe', `${matched.why}, and not all that its signer sent is final, try again`);
  const waits = await waitsForOwn(context, lane);
  if (waits) return refused('notSafe', waits.why);
  const resumed = await resume(context, chain, lane, position, 'unreported');
  return resumed.ok ? done : refused('notSafe', resumed.why);
}
