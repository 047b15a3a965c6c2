import { type ApplyOutcome, StoreUnavailableError } from '@causeway/core';
import pg from 'pg';

/** No connection could be had, so nothing was sent. */
export class DatabaseUnreachableError extends StoreUnavailableError {
  override readonly name = 'DatabaseUnreachableError';
}

/** The server did not answer in time; what it did is not known. */
export class DeadlineError extends StoreUnavailableError {
  override readonly name = 'DeadlineError';
}

/** Raised by our functions where the database has another history than its caller knows, or a shorter one. */
export const WENT_BACK = 'CW002';

/** Class 08: connection; 57P: operator and crash; 40003: the outcome is unknown, says the server itself. */
const CONNECTION_ENDS = /^(08|57P)|^40003$/;

/**
 * Data, constraints, syntax, rivals, locks, read-only, our own: only ever met before a commit. Known by code, because the
 * server translates the severity into its own language.
 */
const BEFORE_COMMIT = /^(22|23|42|CW)|^(40P01|40001|55P03|25006|55000)$/;

/**
 * The server refused the statement and undid it: nothing of it was written. Whatever else goes wrong after a statement
 * was sent leaves open whether it was committed, also a server that says goodbye instead of answering.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError) || CONNECTION_ENDS.test(error.code ?? '')) return false;
  return error.severity === 'ERROR' || BEFORE_COMMIT.test(error.code ?? '');
}

/** Deadlock and serialization failure: undone by the server, and likely to succeed when asked again. */
export function isRepeatable(error: unknown): boolean {
  return isRefusal(error) && (error.code === '40P01' || error.code === '40001');
}

/** The server takes no writes and has no write-ahead log of its own: a standby, or a server that was demoted. */
const STANDBY = /^(25006|55000)$/;

/** Whether the connection may be used again after this. */
export function breaksConnection(error: unknown): boolean {
  return !isRefusal(error) || STANDBY.test(error.code ?? '');
}

/** No such function, no right to call it, not built: a database that only resembles PostgreSQL answers so. */
export function isMissing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(42883|42501|0A000)$/.test(error.code ?? '');
}

/**
 * The database has another history than the one this process began to work on, or a shorter one: our functions say so, or are
 * gone, with or without their schema, although their creation was durable.
 */
export function isGone(error: unknown): error is pg.DatabaseError {
  return isRefusal(error) && [WENT_BACK, '42883', '3F000'].includes(error.code ?? '');
}

/** Serialization, resources, locks, operator, system: trouble of the server, whatever the statement was. */
const TROUBLE = /^(40|53|57|58|55P03|25006|55000)/;

/**
 * The error of a call that changed nothing, as its caller gets it: trouble of the server or of the connection becomes a
 * StoreUnavailableError, a refusal of the statement stays what it is.
 */
export function inTrouble(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  if (isRefusal(error)) {
    if (!TROUBLE.test(error.code ?? '')) return error;
    return new StoreUnavailableError(`the database refuses work: ${error.message} (${error.code})`, { cause: error });
  }
  if (!isConnectionLoss(error)) return error;
  return new StoreUnavailableError(`the database did not answer: ${error.message}`, { cause: error });
}

/** What the driver and the system say of a connection that ended; neither has a class of its own for it. */
function isConnectionLoss(error: unknown): error is Error {
  if (error instanceof pg.DatabaseError) return true;
  if (!(error instanceof Error)) return false;
  return (
    'syscall' in error ||
    /connection (terminated|ended|error)|client has encountered|timeout exceeded/i.test(error.message)
  );
}

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

/** An update that takes another row's unique key: the index noticed, and the server undid the whole set. */
export function takenKey(error: unknown): Conflict | undefined {
  if (!isRefusal(error) || error.code !== '23505') return undefined;
  return { kind: 'duplicate', table: error.table ?? '', key: error.constraint ?? '' };
}
