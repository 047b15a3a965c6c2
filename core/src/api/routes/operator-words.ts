const WORDS: Readonly<Record<string, string>> = {
  adminPause:
    'No new quote is given for the scope, and nothing new is begun there. What is under way is finished. Holds across restarts, until it is resumed.',
  adminResume: 'Ends a pause of the same scope, also of a chain that is configured no more.',
  adminAudit:
    'Reads balances from the chains and names every drift, what is not settled yet, and why each open request waits. Changes nothing.',
  adminAlerts:
    'Conditions that need an operator now, with their begin. Each ends automatically once its cause has ended.',
  adminRefund:
    'Gives the request up and pays it back, once nothing that was sent for it can land. Refused with 409 where that is not proven or it was filled. The same again does nothing more.',
  adminReleaseHold:
    'Pays out what was held for an operator, to its depositor or to the address that is named. The same again does nothing more.',
  adminRecoverAddress:
    'For an address that was issued after the backup from which the database was restored. The id of its request is enough: the address follows from it. What arrived there is held, as nothing is known of its quote any more.',
  adminAddresses:
    'Of all callers, by chain and then in order of issue, so that pages neither repeat nor skip any. Filters may leave pages short, or empty, before the last one.',
  adminAddress:
    'Its requests, the transfers to it with their sweeps, what it holds now next to what the books know, and what is held of it. By its address, or by a request.',
  adminReindexAddress:
    'As `POST /transactions/deposit-address/reindex`, without its limit. A transfer that is found there is handled as if it had just come.',
  adminSweepAddress:
    'For transfers whose sweep waits because it costs more than they are worth. Each has one sweep, which is sent once, also where this is asked for again. Refused with 409 while the chain is paused or the lane of its sweeper is halted.',
  adminResumeLane:
    'For a signer that was halted because the chain has seen more of it than the ledger. Refused until all that it sent is final.',
  adminBalances: 'Of every integrator, and what of each is reserved for requests under way.',
  adminBalance: 'With its last hundred changes, newest first.',
  adminCreditBalance:
    'Adds to what the integrator may sponsor. Moves no money. The same `changeId` again changes nothing.',
  adminDebitBalance: 'Takes from what is not reserved; refused with 409 where that is too little.',
  adminWithdrawBalance: 'Records what an operator paid back to the integrator outside the service. Moves no money.',
  adminIntegrators: 'Everybody who has or had keys, with the address whose payments fund their app balance.',
  adminAddIntegrator: 'An integrator has keys, and owns the requests that were quoted with them.',
  adminLinkIntegrator: 'Payments from the address fund the app balance of the integrator. Null unlinks it.',
  adminKeys: 'Of everybody or of one integrator, also those that are expired or revoked.',
  adminCreateKey: 'The secret is in this answer and nowhere else: what is kept of it is a hash.',
  adminRotateKey: 'Makes a new key with the same rights. The old one is accepted for the overlap, by default a day.',
  adminRevokeKey: 'It is refused within ten seconds, and its websockets are closed. It cannot be undone.',
  adminGrantKey: 'Scopes and tier are replaced where they are given; private chains are added and withdrawn.',
};

export function described(operationId: string): { readonly description?: string } {
  const description = WORDS[operationId];
  return description === undefined ? {} : { description };
}
