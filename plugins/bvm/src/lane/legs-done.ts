import type { LegInstruction } from '@causeway/core';
import { soughtScript } from '../addresses.js';
import type { Network } from '../network.js';
import type { RawTransaction } from '../raw/transaction.js';
import { fits, isCertain, type NamedLeg, namedLegs, referenceOf } from '../transactions/references.js';

export interface PaidLeg {
  readonly output: number;
  readonly value: bigint;
  readonly script: Buffer;
  /** False if the tag may be another leg's. */
  readonly certain: boolean;
}

/**
 * What a lane transaction of any ledger did of a leg; undefined if nothing. A partial tag requires the recipient to
 * match: in a large transaction some tag always fits.
 */
export function paidLeg(network: Network, tx: RawTransaction, leg: LegInstruction): PaidLeg | undefined {
  const script = soughtScript(leg.recipient, network);
  return find(tx, leg, (named) => isCertain(named) || tx.outputs[named.output]?.script.equals(script) === true);
}

/**
 * For a transaction that spent the leg's deposit, with any recipient: here the tag alone justifies doubt. The
 * recipient may be another chain's address, or one that an operator chose since.
 */
export function maybePaidLeg(tx: RawTransaction, leg: LegInstruction): PaidLeg | undefined {
  return find(tx, leg, () => true);
}

function find(tx: RawTransaction, leg: LegInstruction, isMeant: (named: NamedLeg) => boolean): PaidLeg | undefined {
  const reference = referenceOf(leg);
  const found = namedLegs(tx).find((named) => fits(named, reference) && isMeant(named));
  const output = found && tx.outputs[found.output];
  return output && { output: found.output, value: output.value, script: output.script, certain: isCertain(found) };
}

export function exactOutputs(
  network: Network,
  tx: RawTransaction,
  legs: readonly LegInstruction[],
): ReadonlyMap<LegInstruction, number> {
  const free = new Set<NamedLeg>(namedLegs(tx));
  const done = new Map<LegInstruction, number>();
  for (const leg of legs) {
    const script = soughtScript(leg.recipient, network);
    for (const named of free) {
      const output = tx.outputs[named.output];
      if (output?.value !== leg.amount || !output.script.equals(script) || !fits(named, referenceOf(leg))) continue;
      done.set(leg, named.output);
      // guard: bvm-output-of-one-leg
      free.delete(named);
      break;
    }
  }
  return done;
}
