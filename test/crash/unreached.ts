/** With reasons. A reached point must not be listed, except those of slow machines. */
const REASONS: readonly (readonly [pattern: RegExp, reason: string, where?: 'slow'])[] = [
  [/^chain\.probe\./, 'asked by `causeway doctor`, which never starts the service'],
  [/^chain\.setUp\./, 'asked by `causeway setup`, which never starts the service either'],
  [/^chain\.sentSince\./, 'only where messages run out unused: in the matrix of flows between families'],
  [
    /^store\.restored\./,
    'written by `causeway restored` while no service runs; repeating it is all that a kill asks for',
  ],
  [/^liquidity\.build\./, 'asked of sources alone whose calls somebody else writes; it changes nothing'],
  [/^sponsor\./, 'nobody sponsors fees yet'],
  [
    /^store\.engine\.(poison|unpark|postpone|ingest\.aside|ingest\.retry)\./,
    'only work that cannot be dealt with now, as through a bug or a changed config, is set apart',
  ],
  [
    /^store\.engine\.ingest\.apart\./,
    'what is in no book is told to an operator, once however often it is seen, and no money moves; these chains tell of none',
  ],
  [/^store\.engine\.settle\.aside\./, 'a leg that its signer cannot pay for is only looked at again later'],
  [
    /^store\.engine\.unclaimed\./,
    'booked of what has lasted for longer than a flow does, in one change set with the end of the note on how long it was looked at',
    'slow',
  ],
  [
    /^store\.api\.(addIntegrator|linkIntegrator|createKey|grantKey|rotateKey|revokeKey)\./,
    'commands about keys, one change set each: no money moves, and a key whose secret nobody saw is listed and revoked',
  ],
  [/^store\.api\.metadata\./, 'what a client says of a request besides; nothing that moves money reads it'],
  [
    /^(chain\.isDepositorsMoney|store\.engine\.claim)\./,
    'a claim by a depositor: the one change set of a release by an operator, which a flow reaches; asking a chain changes nothing',
  ],
];

/** Undefined: a flow must reach it. */
export function reasonFor(point: string): string | undefined {
  return REASONS.find(([pattern]) => pattern.test(point))?.[1];
}

export function mayBeReached(point: string): boolean {
  return REASONS.some(([pattern, , where]) => where === 'slow' && pattern.test(point));
}
