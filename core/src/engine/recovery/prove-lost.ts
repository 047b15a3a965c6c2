import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegPaid } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { fillInstruction } from '../base/instruction.js';
import { isCounted } from './foreign-fills.js';
import { orderFate } from './order-fate.js';
import { settles } from './paid-elsewhere.js';
import { sinceOfLeg } from './since.js';

/** What became of the fills of a key that something else spent, finally, or that ran out unused. */
export type LostProof =
  | {
      readonly ok: true;
      /** Fills that a transaction unknown to this ledger carried out; with its payment where one of our lanes sent it. */
      readonly filled: ReadonlyMap<string, OwnPayment | null>;
      /**
       * Fills whose order is not filled so far, and may still be: they may be signed anew, and not be paid back yet. Only where
       * keys end by history. Fills in neither list are proven not to have happened, and cannot happen any more.
       */
      readonly unfilled: ReadonlySet<string>;
    }
  /** Nothing may be paid back yet. */
  | { readonly ok: false };

export interface OwnPayment {
  readonly paid: LegPaid;
  /** Whether the balances that were booked when the lane was resumed have it in. */
  readonly counted: boolean;
}

/**
 * Whether the fills of a lost key may be paid back, or signed anew.
 *
 * Invariant (G3, G15): a signer that was used behind this ledger's back, as by the part of a database that a restore
 * lost, may have sent the fill of the same order under another key.
 */
export async function proveLost(context: EngineContext, chain: ChainAdapter, open: OpenKey): Promise<LostProof> {
  const { chainId, signer, key } = open.key;
  if (chain.keys.by === 'position')
    context.alerts.raise(`foreign:${chainId}:${signer}`, 'A signer key was used outside this service', {
      chainId,
      signer,
      key,
    });
  const filled = new Map<string, OwnPayment | null>();
  const unfilled = new Set<string>();
  for (const leg of open.legs) {
    if (!factsOf(leg).delivers || leg.state !== 'bound') continue;
    try {
      const instruction = fillInstruction(leg);
      const since = await sinceOfLeg(context, leg);
      const fate = await orderFate(chain, instruction, signer, since);
      // A key that another transaction used is a sign of another signer, who may still fill; a key that ran out is not.
      if (fate === 'open' && chain.keys.by === 'position') return { ok: false };
      if (fate === 'open') unfilled.add(leg.id);
      if (fate !== 'filled') continue;
      const paid = await chain.paidBy(instruction, since);
      // Ours, and may be taken back yet: nothing is known for good.
      if (paid && !paid.final && settles(context, chain, leg, { ...paid, final: true })) return { ok: false };
      const own = paid && settles(context, chain, leg, paid);
      filled.set(leg.id, own ? { paid, counted: await isCounted(context, leg, paid) } : null);
    } catch (error) {
      context.log.warn({ leg: leg.id, err: error }, 'the fate of an order could not be read');
      return { ok: false };
    }
  }
  return { ok: true, filled, unfilled };
}
