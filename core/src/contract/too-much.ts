/**
 * A transaction whose sender made it larger than what is read of it. No retry changes that: core keeps what its ledger
 * knows.
 */
export class TooMuchToDescribeError extends Error {
  override readonly name: string = 'TooMuchToDescribeError';
}
