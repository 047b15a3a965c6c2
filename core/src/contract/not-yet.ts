/**
 * Thrown where the answer changes while it is read, or where a provider is a moment behind: nothing was learnt, and asking
 * again soon will succeed. Core postpones the round that asked and does not count it as failed, unless that goes on for long. A
 * failure that time does not mend is another error.
 */
export class NotYetError extends Error {
  override readonly name: string = 'NotYetError';
}
