import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { UnixMs } from '../../contract/ids.js';
import type { LegPaid } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { fillInstruction } from '../base/instruction.js';
import { doubtedUntil, isCounted } from './foreign-fills.js';
import { orderFate } from './order-fate.js';
import { settles } from './paid-elsewhere.js';
import { sinceOfLeg } from './since.js';

/** Fate of the fills of a key that something else finally spent, or that expired. */
export type LostProof =
  | {
      readonly ok: true;
      /**
       * Fills by transactions unknown to this ledger, by leg id; null unless one of the solver's lanes sent the
       * payment.
       */
      readonly filled: ReadonlyMap<string, SolverPayment | null>;
      /** May be signed again, not refunded; only where keys end by history. Fills in neither list can never happen. */
      readonly unfilled: ReadonlySet<string>;
      /** What was created until then may have been sent by a ledger that was lost. */
      readonly doubtedUntil: UnixMs;
    }
  /** Nothing may be refunded yet. */
  | { readonly ok: false };

export interface SolverPayment {
  readonly paid: LegPaid;
  /** Whether the balances booked at the lane's resumption include this payment. */
  readonly counted: boolean;
}

/**
 * Invariant (G3, G15): a signer used without this ledger's knowledge may have filled the same order under another
 * key.
 */
export async function proveLost(context: EngineContext, chain: ChainAdapter, open: OpenKey): Promise<LostProof> {
  const { chainId, signer, key } = open.key;
  if (chain.keys.by === 'position')
    context.alerts.raise(`foreign:${chainId}:${signer}`, 'A signer key was used outside this service', {
      chainId,
      signer,
      key,
    });
  const filled = new Map<string, SolverPayment | null>();
  const unfilled = new Set<string>();
  for (const leg of open.legs) {
    if (!factsOf(leg).delivers || leg.state !== 'bound') continue;
    try {
      const instruction = fillInstruction(leg);
      const since = await sinceOfLeg(context, leg);
      const fate = await orderFate(chain, instruction, signer, since);
      // A key spent by another transaction indicates another signer, who may still fill; an expired key does not.
      if (fate === 'open' && chain.keys.by === 'position') return { ok: false };
      if (fate === 'open') unfilled.add(leg.id);
      if (fate !== 'filled') continue;
      const paid = await chain.paidBy(instruction, since);
      // The solver sent the payment, but it is not final yet.
      if (paid && !paid.final && settles(context, chain, leg, { ...paid, final: true })) return { ok: false };
      const own = paid && settles(context, chain, leg, paid);
      filled.set(leg.id, own ? { paid, counted: await isCounted(context, leg, paid) } : null);
    } catch (error) {
      context.log.warn({ leg: leg.id, err: error }, 'the fate of an order could not be read');
      return { ok: false };
    }
  }
  return { ok: true, filled, unfilled, doubtedUntil: await doubtedUntil(context) };
}
