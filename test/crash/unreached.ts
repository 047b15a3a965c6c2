/** With reasons. A reached point must not be listed, except those of slow machines. */
export const REASONS: readonly (readonly [pattern: RegExp, reason: string, where?: 'slow'])[] = [
  [/^chain\.probe\./, 'asked by `causeway doctor`, which never starts the service'],
  [
    /^signer\.sign\./,
    'within `chain.sign`, whose points flows reach; a kill there leaves bytes that were neither recorded nor sent',
  ],
  [/^chain\.setUp\./, 'asked by `causeway setup`, which never starts the service either'],
  [/^chain\.sentSince\./, 'only where messages run out unused: in the matrix of flows between families'],
  [
    /^store\.restored\./,
    'written by `causeway restored` while no service runs; repeating it is all that a kill asks for',
  ],
  [/^liquidity\.build\./, 'asked of sources alone whose calls somebody else writes; it changes nothing'],
  [
    /^store\.engine\.(unpark|postpone|ingest\.onHold|ingest\.retry)\./,
    'only work that cannot be processed now, because of a bug or a changed config, is set apart',
  ],
  [
    /^store\.engine\.ingest\.apart\./,
    'funds that are in no book are reported to an operator, once each, and no money moves; these chains report none',
  ],
  [/^store\.engine\.settle\.postpone\./, 'a leg that its signer cannot pay for is only retried later'],
  [
    /^store\.engine\.unclaimed\./,
    'booked only for what has lasted longer than a flow does, in one change set with the removal of the note about it',
    'slow',
  ],
  [
    /^store\.api\.(addIntegrator|linkIntegrator|createKey|grantKey|rotateKey|revokeKey)\./,
    'commands about keys, one change set each: no money moves, and a key whose secret was never shown is listed and revoked',
  ],
  [
    /^store\.engine\.balances\./,
    'a notice that an app balance is low: no money moves, and what is not posted yet is posted again under its id',
  ],
  [
    /^store\.engine\.watchProblem\./,
    'the note for other processes that a chain cannot be read, in one change set; it is written again until it is there',
  ],
  [/^store\.api\.metadata\./, 'metadata that a client attaches to a request; nothing that moves money reads it'],
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
