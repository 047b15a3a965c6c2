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

/** Search depth for legs of a transaction whose anchor a reorg removed. */
const REORGS_MS = 14 * 86_400_000;

/** The current anchor if a reorg replaced the previous transaction and removed the old anchor; else undefined. */
export function otherAnchor(
  { state }: Pick<SubmitterDeps, 'state'>,
  { key, previousFees }: ReplaceInput,
): Outpoint | undefined {
  const anchor = state()?.anchor;
  if (anchor?.serial !== readKey(key).serial) return undefined;
  return outpointName(anchor.coin) === outpointName(anchorOfTerms(previousFees)) ? undefined : anchor.coin;
}

/**
 * Whether no current lane transaction did any of these legs: the reorg may have included one that is unknown to this
 * ledger. False if in doubt.
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
