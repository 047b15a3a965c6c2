import type { SendOutcome } from '@causeway/core';

type Rejection = Extract<SendOutcome, { outcome: 'rejected' }>['meaning'];

export type SendVerdict = 'known' | Rejection | 'unclear';

/**
 * Texts of geth, erigon, nethermind, besu, reth and anvil, case-insensitive; error codes differ between versions.
 * First match wins, so that a text with two phrases ("replacement transaction underpriced … insufficient funds") is
 * read by its cause.
 */
const TABLE: readonly (readonly [SendVerdict, RegExp])[] = [
  // A full pool or throttling is temporary: the transaction may be in flight elsewhere.
  [
    'unclear',
    /pool is full|mempool is full|pool full|rate.?limit|too many|timed? ?out|temporarily|internal error|syncing/,
  ],
  [
    'known',
    /already known|known transaction|alreadyknown|already imported|already in (the )?(mem|tx)?pool|already exists/,
  ],
  // A pending transaction of an account that signed an authorization blocks this one.
  ['barred', /authority (is )?already reserved|delegator \w* ?has (a )?pending/],
  ['keySpent', /nonce (is )?too low|oldnonce|old nonce|nonce has already been used|nonce .*already used|nonce_too_low/],
  [
    'keyTooFar',
    /nonce (is )?too high|noncegap|nonce gap|gapped|too far in (the )?future|nonce.*too (distant|far)|tx_nonce_too_distant/,
  ],
  [
    'feeTooLow',
    /underpriced|feetoolow|fee too low|less than block base fee|lower than (the )?(block )?base ?fee|gas ?price (below|too low)|below configured minimum|replacementnotallowed|could not replace|replace(ment)? .*(fee|price)|tip .*(too low|below)|priority fee .*(too low|below)/,
  ],
  [
    'noGas',
    /insufficient (funds|balance)|insufficientfunds|upfront cost|exceeds (account )?balance|enough funds|doesn.t have enough|overshot/,
  ],
  [
    'tooLarge',
    /oversized|transaction size|too large|exceeds block gas limit|gaslimitexceeded|exceeds .*gas limit|max initcode/,
  ],
  [
    'invalid',
    /intrinsic gas|invalid sender|invalid signature|invalid chain id|chain ?id|not supported|rlp|max priority fee per gas higher|only replay-protected|exceeds the configured cap|signature|invalid transaction|unprotected/,
  ],
];

export function classifySendError(message: string): SendVerdict {
  const text = message.toLowerCase();
  for (const [verdict, pattern] of TABLE) if (pattern.test(text)) return verdict;
  return 'unclear';
}
