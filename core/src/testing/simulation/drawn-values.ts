/** Users arrive within this time; faults begin slightly longer. */
export const BUSY_MS = 30_000;

export const SYMBOLS = ['FAKE', 'USDF', 'GLD'] as const;
/** A token that only pools hold. */
export const POOL_TOKEN = 'GOV';
export const POOL_SIDES = ['USDF', 'FAKE'] as const;

/** Largest top-up, micro-USD. */
export const MAX_TOP_UP = 20_000_000;
