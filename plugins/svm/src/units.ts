/**
 * Rounded up, for the public network's programs (the local node's are lighter): a transfer with its 66-character
 * memo, and the recipient's token account, opened or checked. The real limit comes from a simulation.
 */
export const TYPICAL_UNITS = { native: 40_000, token: 60_000, opening: 40_000, there: 15_000 } as const;
