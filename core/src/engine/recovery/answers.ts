import type { LegCheck } from '../../contract/legs.js';

type Refused = Extract<LegCheck, { ok: false }>;

/** Its deposit was paid back by something this ledger does not know: it is given up, and the refund is found done. */
export const REFUNDED: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'the deposit was paid back by a transaction that this ledger does not know',
};

/** The leg's deposit was paid back under another leg: an operator has to find out what is left of it. */
export const PAID_OTHERWISE: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'its deposit was paid back under another leg by a transaction that this ledger does not know',
};

/** It was done by something this ledger does not know. A chain that only tries the payment would let it go out once more. */
export const DONE: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'INVALID_NONCE',
  message: 'it was paid by a transaction that this ledger does not know',
};

/** Its order was filled by something this ledger does not know: unless it was paid back as well, it is held. */
export const DOUBTFUL: Refused = {
  ok: false,
  kind: 'refused',
  reason: 'ORDER_ALREADY_FILLED',
  message: 'its order was filled by a transaction that this ledger does not know',
};

/** Its order may be filled yet by something this ledger does not know: it waits for the proof that it is not. */
export const MAY_BE_FILLED: Refused = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its order may still be filled by a transaction that this ledger does not know',
};

/** Its deposit may be paid back yet by something this ledger does not know: it is not filled, and late one day. */
export const MAY_BE_REFUNDED: Refused = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its deposit may still be paid back by a transaction that this ledger does not know',
};
