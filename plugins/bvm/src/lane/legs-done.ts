import type { LegInstruction } from '@causeway/core';
import { soughtScript } from '../addresses.js';
import type { Network } from '../network.js';
import type { RawTransaction } from '../raw/transaction.js';
import { fits, isCertain, type NamedLeg, namedLegs, referenceOf } from '../transactions/references.js';

/** An output of a transaction of the lane that paid a leg. */
export interface PaidLeg {
  readonly output: number;
  /** Satoshis. */
  readonly value: bigint;
  readonly script: Buffer;
  /** False where what is named of it might be another leg's. */
  readonly certain: boolean;
}

/**
 * What a transaction of the lane did of a leg, as far as the chain tells, by whatever ledger; undefined where it did not.
 * Where a leg is named by its first digits only, its recipient must fit, too: in a large transaction there is always
 * something that is named alike.
 */
export function paidLeg(network: Network, tx: RawTransaction, leg: LegInstruction): PaidLeg | undefined {
  const script = soughtScript(leg.recipient, network);
  return find(tx, leg, (named) => isCertain(named) || tx.outputs[named.output]?.script.equals(script) === true);
}

/**
 * The same for a transaction that spent the leg's deposit, whoever its recipient is: there the named digits are enough for a
 * doubt. The recipient may be an address of another chain, or an address that an operator chose since.
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

/**
 * The outputs that did each of these legs exactly, of a transaction whose legs are known: each output does one. Undefined
 * where none did.
 */
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
      free.delete(named);
      break;
    }
  }
  return done;
}
