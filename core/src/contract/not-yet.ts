/**
 * Thrown if the answer changes while being read, or a provider lags briefly: retrying soon will succeed. Core
 * postpones the round without counting a failure, unless this lasts. Use another error for failures that time does
 * not resolve.
 */
export class NotYetError extends Error {
  override readonly name: string = 'NotYetError';
}
