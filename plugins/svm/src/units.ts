/**
 * Compute units of our transactions, rounded up: a transfer and its memo of 66 letters; and the account of whoever is paid a
 * token, which is opened, or found to be there and its owner's. They are those of the programs of the public network; the
 * local node has lighter ones. The real limit is found by a trial before sending.
 */
export const TYPICAL_UNITS = { native: 40_000, token: 60_000, opening: 40_000, there: 15_000 } as const;
