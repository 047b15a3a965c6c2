import type { RawTransaction } from '../raw/transaction.js';

/**
 * The chain of anchors (core/docs/decisions/0028-utxo-lanes.md). The n-th transaction of a lane spends the n-th anchor as its
 * first input, and makes the next one as its last output. n is the sequence number of that input: above this bit such a number
 * has no meaning to consensus, and all of them say that the transaction may be replaced. Wallets use the last four numbers
 * there are, far above these.
 */
const MARK = 0x80000000;
/** Transactions of one lane. */
const MOST = 0x3fffffff;

/** Sequence number of the first input of a lane's n-th transaction. */
export function anchorSequence(serial: number): number {
  if (!Number.isSafeInteger(serial) || serial < 0 || serial > MOST)
    throw new RangeError(`no transaction of a lane: ${serial}`);
  return MARK + serial;
}

/** All other inputs: replaceable, without a lock of their own. */
export const PLAIN_SEQUENCE = 0xfffffffd;

/** n of a lane's transaction; undefined for any other. Only what its first input spends proves whose it is. */
export function serialOf({ inputs }: Pick<RawTransaction, 'inputs'>): number | undefined {
  const serial = (inputs[0]?.sequence ?? 0) - MARK;
  return serial >= 0 && serial <= MOST ? serial : undefined;
}
