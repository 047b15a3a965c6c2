import type { LegCheck } from '../../contract/legs.js';

type Refused = Extract<LegCheck, { ok: false }>;

/** A lost send refunded the deposit: the fill is abandoned, and the refund is found done. */
export const REFUNDED: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'the deposit was refunded by a transaction that this ledger does not contain',
};

/** Refunded under another leg: an operator finds out what is left. */
export const PAID_OTHERWISE: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'its deposit was refunded under another leg by a transaction that this ledger does not contain',
};

/** Done by a lost send. A chain that only simulates the payment would let it go out again. */
export const DONE: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'INVALID_NONCE',
  message: 'it was paid by a transaction that this ledger does not contain',
};

/** A lost send filled the order: held, unless it was refunded as well. */
export const DOUBTFUL: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'ORDER_ALREADY_FILLED',
  message: 'its order was filled by a transaction that this ledger does not contain',
};

/** A lost send may yet fill the order: wait for proof that it will not. */
export const MAY_BE_FILLED: Refused = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its order may still be filled by a transaction that this ledger does not contain',
};

/** A lost send may still refund the deposit: the order is not filled, and eventually late. */
export const MAY_BE_REFUNDED: Refused = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its deposit may still be refunded by a transaction that this ledger does not contain',
};
