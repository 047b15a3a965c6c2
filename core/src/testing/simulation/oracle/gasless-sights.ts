/** What only app balances, calls for others, permits and fast fills show, counted per run. */
export const GASLESS_SIGHTS = [
  'call made',
  'call reverted',
  /** It was given up, or its lane's place was used by something else. */
  'call not made',
  /** A restored ledger does not know whether it was made. */
  'call in doubt',
  'deposit by a call',
  'executed by a call',
  'deposit by a permit',
  'balance topped up',
  'fees sponsored',
  'sponsored within a policy',
  'fast fill reserved',
  'fast fill given back',
  /** A reorg took the deposit of a fast fill away. */
  'fast fill taken',
  'fast fill taken and credited again',
] as const;
