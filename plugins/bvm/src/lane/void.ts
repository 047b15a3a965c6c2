import type { PrepareOutcome, ReplaceInput } from '@causeway/core';
import { isTransportError, RpcError } from '@causeway/core/rpc';
import { type Outpoint, outpointName } from '../funding-key.js';
import { readKey } from '../keys.js';
import { ViewMoved } from '../rpc/node.js';
import type { SentDeps } from '../sent.js';
import { anchorOfTerms, type SubmitterDeps } from '../submitter.js';
import { laneHistory } from './history.js';
import { paidLeg } from './legs-done.js';
import { laneView } from './view.js';

/** How far back the lane is searched for legs of a transaction whose anchor a reorg took away. */
const REORGS_MS = 14 * 86_400_000;

/**
 * What another transaction of a key spends instead of what the newest one does, where that is gone: in a reorg, another
 * transaction than before took the place of the one before. Undefined where it is not.
 */
export function otherAnchor(
  { state }: Pick<SubmitterDeps, 'state'>,
  { key, previousFees }: ReplaceInput,
): Outpoint | undefined {
  const anchor = state()?.anchor;
  if (anchor?.serial !== readKey(key).serial) return undefined;
  return outpointName(anchor.coin) === outpointName(anchorOfTerms(previousFees)) ? undefined : anchor.coin;
}

/**
 * Whether none of these legs was done by the transactions that the lane has now: a transaction that this ledger does not know
 * may have come into the chain with the reorg. False where there is a doubt.
 */
export async function proveUndone(
  deps: SentDeps,
  { legs }: Pick<ReplaceInput, 'legs'>,
): Promise<{ readonly ok: true } | Extract<PrepareOutcome, { ok: false }>> {
  try {
    return await deps.providers.run(async (provider) => {
      const view = await laneView(deps, provider);
      const since = view.head.time * 1_000 - REORGS_MS;
      for await (const { tx } of laneHistory(provider, deps.signers.lane, view.state, since)) {
        const done = legs.find(({ leg }) => paidLeg(deps.network, tx, leg) !== undefined);
        if (done)
          return { ok: false, why: 'unavailable', message: `${tx.txid} may have done ${done.leg.legId}` } as const;
      }
      return { ok: true } as const;
    });
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof ViewMoved)) throw error;
    return { ok: false, why: 'unavailable', message: error.message };
  }
}
