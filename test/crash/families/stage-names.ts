/** The chain, or chain kind, that a stage pairs with an EVM chain. */
export const STAGE_NAMES = ['svm', 'bitcoin', 'litecoin', 'ton'] as const;

export type StageName = (typeof STAGE_NAMES)[number];
