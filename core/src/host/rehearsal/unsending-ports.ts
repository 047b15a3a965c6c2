import { stepThrough } from '../../ports/step-through.js';
import type { Instrument } from '../crash-points.js';

/** Calls of a rehearsal that leave the process: they only ask. `chain.check` tries a payment without its signature. */
const ASKS: ReadonlySet<string> = new Set(['chain.probe', 'chain.check', 'liquidity.quote', 'screener.screen']);

/**
 * Ports that cannot sign or send: each call that is not a read, not of the store and not named above throws. Every port
 * passes through here before any part of the service gets it.
 */
export const UNSENDING: Instrument = (kind, port) =>
  kind === 'stores'
    ? port
    : stepThrough(kind, port, async (step, call) => {
        // guard: rehearsal-without-sends
        if (step.kind !== 'read' && !ASKS.has(step.name)) throw new Error(`a rehearsal does not call ${step.name}`);
        return call();
      });
