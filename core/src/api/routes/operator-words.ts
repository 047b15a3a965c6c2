const WORDS: Readonly<Record<string, string>> = {
  adminPause:
    'New quotes of the scope are refused, and no new fills are started. Started fills are completed. Lasts across restarts, until it is resumed.',
  adminResume: 'Ends a pause of the same scope, also of a chain that is configured no more.',
  adminAudit:
    'Reads balances from the chains and names every drift, what is not settled yet, and why each open request waits. Changes nothing.',
  adminOverview:
    'For pages that read it again every few seconds; nothing is read from the chains. By this process: where several share a database, each knows its own providers.',
  adminStatistics:
    'Counted from the status changes since the service first ran with this version, in buckets that it keeps itself. Recorded every ten seconds.',
  adminRehearsal:
    'By UTC day, for the last 31 days in which the service was a rehearsal. Only counted: nothing of it was promised, signed or sent.',
  adminAlerts:
    'Conditions that need an operator now, with their begin. Each ends automatically once its cause has ended.',
  adminRefund:
    'Cancels the request and refunds it, once no sent transaction of it can land. Refused with 409 if that is not proven or if it was filled. A repeated call has no effect.',
  adminReleaseHold:
    'Pays out a hold, to its depositor or to the given address. A hold that is in no book (`payable` false in the audit) leaves the list without a payment, and only with `unpaid`. A repeated call has no effect.',
  adminRecoverAddress:
    'For an address that was issued after the backup from which the database was restored. The id of its request suffices, because the address derives from it. Transfers to it are held, because its quote is lost.',
  adminAddresses:
    'Addresses of all callers, by chain and then in order of issue, so that pages neither repeat nor skip any. With filters, pages before the last one may be short or empty.',
  adminAddress:
    'Requests, transfers with their sweeps, present and booked balances, and holds of one address. By the address, or by a request.',
  adminReindexAddress:
    'As `POST /transactions/deposit-address/reindex`, without its limit. A transfer that is found is handled like a new one.',
  adminSweepAddress:
    "For transfers whose sweep waits because it costs more than they are worth. Each has one sweep, which is sent once, also after repeated calls. Refused with 409 while the chain is paused or the sweeper's lane is halted.",
  adminResumeLane:
    'For a signer whose lane was halted because the chain has transactions of it that the ledger does not contain. Refused until all of them are final.',
  adminInventory: 'Held, promised and withdrawable amounts, and the configured targets, per chain and currency.',
  adminReport:
    'Volume, fees, spread, gas and losses per route, currency and UTC day, in the currency and in US dollars at the prices of that time: those of the quote, otherwise the first of the day. For a long period each response contains a part; the parts add up.',
  adminWithdraw:
    'Pays inventory to the operator, by the signer of the lane and in the order of all payments; never funds that are owed, reserved, promised or not final. A repeated id pays nothing more and returns the state of the withdrawal.',
  adminBalances: 'Of every integrator, and what of each is reserved for requests under way.',
  adminBalance: 'With its last hundred changes, newest first.',
  adminCreditBalance:
    "Increases the integrator's app balance. Moves no money. A repeated call has no effect; another change with its `changeId` is refused.",
  adminDebitBalance: 'Takes from what is not reserved; refused with 409 where that is too little.',
  adminWithdrawBalance: 'Records a payment of the operator to the integrator outside the service. Moves no money.',
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
