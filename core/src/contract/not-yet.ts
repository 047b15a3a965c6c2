/**
 * The answer changed while being read, or a provider lags briefly: retrying soon will succeed. Core postpones the
 * round without counting a failure, unless this lasts.
 */
export class NotYetError extends Error {
  override readonly name: string = 'NotYetError';
}
