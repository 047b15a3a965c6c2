import pg from 'pg';

/** No connection could be had, so nothing was sent. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
}

/** The server did not answer in time; what it did is not known. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** Class 08: connection; 57P: operator and crash; 40003: the outcome is unknown, says the server itself. */
const CONNECTION_ENDS = /^(08|57P)|^40003$/;

/**
 * The server refused the statement and undid it: nothing of it was written. Whatever else goes wrong after a statement
 * was sent leaves open whether it was committed, also a server that says goodbye instead of answering.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR' && !CONNECTION_ENDS.test(error.code ?? '');
}

/** Deadlock and serialization failure: undone by the server, and likely to succeed when asked again. */
export function isRepeatable(error: unknown): boolean {
  return isRefusal(error) && (error.code === '40P01' || error.code === '40001');
}

/** The server takes no writes: a standby, or one that was demoted under an open connection. */
const READ_ONLY = '25006';

/** Whether the connection may be used again after this. */
export function breaksConnection(error: unknown): boolean {
  return !isRefusal(error) || error.code === READ_ONLY;
}
