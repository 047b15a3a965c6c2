import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { OpenKey } from '../contract/store.js';
import type { EngineContext } from './context.js';
import { instructionOf } from './instruction.js';
import { orderFate } from './order-fate.js';
import { sinceOfLeg } from './since.js';

/** What became of the fills of a key that something else spent, finally. */
export type LostProof =
  /** None of the fills happened or can; those in `filled` were executed by a transaction that this ledger does not know. */
  | { readonly ok: true; readonly filled: ReadonlySet<string> }
  /** Nothing may be paid back yet. */
  | { readonly ok: false };

/**
 * Whether the fills of a lost key may be paid back.
 *
 * Invariant (G3, G15): a signer that was used behind this ledger's back, as by the part of a database that a restore
 * lost, may have sent the fill of the same order under another key.
 */
export async function proveLost(context: EngineContext, chain: ChainAdapter, open: OpenKey): Promise<LostProof> {
  const { chainId, signer, key } = open.key;
  if (!chain.sentSince)
    context.alerts.raise(`foreign:${chainId}:${signer}`, 'A signer key was used outside this service', {
      chainId,
      signer,
      key,
    });
  const filled = new Set<string>();
  for (const leg of open.legs) {
    if (leg.kind !== 'fill' || leg.state !== 'bound') continue;
    try {
      const instruction = instructionOf(context, chain, leg);
      const since = await sinceOfLeg(context, leg);
      const fate = instruction.kind === 'fill' ? await orderFate(chain, instruction, signer, since) : 'open';
      if (fate === 'open') return { ok: false };
      if (fate === 'filled') filled.add(leg.id);
    } catch (error) {
      context.log.warn({ leg: leg.id, err: error }, 'the fate of an order could not be read');
      return { ok: false };
    }
  }
  return { ok: true, filled };
}
