/** Request types of interface.md, capability 7. */
export const REQUEST_TYPES = ['Bridge', 'Crosschain Swap', 'Same-chain Swap', 'Send', 'Wrap', 'Unwrap', 'Call'] as const;

export type RequestType = (typeof REQUEST_TYPES)[number];
