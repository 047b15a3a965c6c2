import type { RawTransaction } from '../raw/transaction.js';

/**
 * The chain of anchors (core/docs/decisions/0028-utxo-lanes.md). A lane's n-th transaction spends the n-th anchor as
 * its first input and creates the next one as its last output. n is encoded in that input's sequence number: above
 * this bit it has no consensus meaning and signals replaceability. Wallets use only the last four values, far above.
 */
const MARK = 0x80000000;
const MAX_SERIAL = 0x3fffffff;

export function anchorSequence(serial: number): number {
  if (!Number.isSafeInteger(serial) || serial < 0 || serial > MAX_SERIAL)
    throw new RangeError(`no transaction of a lane: ${serial}`);
  return MARK + serial;
}

/** Other inputs: replaceable, without a relative lock time. */
export const PLAIN_SEQUENCE = 0xfffffffd;

/** n; undefined for other transactions. Only the output that the first input spends proves the sender. */
export function serialOf({ inputs }: Pick<RawTransaction, 'inputs'>): number | undefined {
  const serial = (inputs[0]?.sequence ?? 0) - MARK;
  return serial >= 0 && serial <= MAX_SERIAL ? serial : undefined;
}
