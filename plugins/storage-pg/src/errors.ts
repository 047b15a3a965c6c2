import { type ApplyOutcome, StoreUnavailableError } from '@causeway/core';
import pg from 'pg';

/** No connection was available; nothing was sent. */
export class DatabaseUnreachableError extends StoreUnavailableError {
  override readonly name = 'DatabaseUnreachableError';
}

/** The server did not answer in time; the outcome is unknown. */
export class DeadlineError extends StoreUnavailableError {
  override readonly name = 'DeadlineError';
}

/** Raised by the plugin's functions when the database's history differs from the caller's or is shorter. */
export const WENT_BACK = 'CW002';

/** Class 08: connection; 57P: operator and crash; 40003: outcome unknown. */
const CONNECTION_ENDS = /^(08|57P)|^40003$/;

/**
 * Data, constraints, syntax, rivals, locks, read-only and the plugin's own codes occur only before a commit. The
 * server translates severities, so codes decide.
 */
const BEFORE_COMMIT = /^(22|23|42|CW)|^(40P01|40001|55P03|25006|55000)$/;

/**
 * The server undid the statement. After any other failure the outcome is open, even if the server announces its
 * shutdown.
 */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError) || CONNECTION_ENDS.test(error.code ?? '')) return false;
  return error.severity === 'ERROR' || BEFORE_COMMIT.test(error.code ?? '');
}

/** Deadlock and serialization failure: undone by the server, and likely to succeed when repeated. */
export function isRepeatable(error: unknown): boolean {
  return isRefusal(error) && (error.code === '40P01' || error.code === '40001');
}

/** The server takes no writes and has no write-ahead log of its own: a standby or a demoted server. */
const STANDBY = /^(25006|55000)$/;

export function breaksConnection(error: unknown): boolean {
  return !isRefusal(error) || STANDBY.test(error.code ?? '');
}

/** No such function, no right to call it, or not implemented: a database that only resembles PostgreSQL. */
export function isMissing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(42883|42501|0A000)$/.test(error.code ?? '');
}

/**
 * The history differs from the one this process began with, or is shorter: the functions say so, or are missing
 * although their creation was durable.
 */
export function isGone(error: unknown): error is pg.DatabaseError {
  return isRefusal(error) && [WENT_BACK, '42883', '3F000'].includes(error.code ?? '');
}

/** SQLSTATE classes of temporary failures: serialization, resources, locks, operator, system. */
const TEMPORARY_FAILURE = /^(40|53|57|58|55P03|25006|55000)/;

/** For calls that changed nothing: a temporary failure becomes a StoreUnavailableError, a refusal stays. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailableError) return error;
  if (isRefusal(error)) {
    if (!TEMPORARY_FAILURE.test(error.code ?? '')) return error;
    return new StoreUnavailableError(`the database refuses work: ${error.message} (${error.code})`, { cause: error });
  }
  if (!isConnectionLoss(error)) return error;
  return new StoreUnavailableError(`the database did not answer: ${error.message}`, { cause: error });
}

/** Neither the driver nor the system has an error class for an ended connection. */
function isConnectionLoss(error: unknown): error is Error {
  if (error instanceof pg.DatabaseError) return true;
  if (!(error instanceof Error)) return false;
  return (
    'syscall' in error ||
    /connection (terminated|ended|error)|client has encountered|timeout exceeded/i.test(error.message)
  );
}

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

/** An update took another row's unique key, and the server undid the whole set. */
export function takenKey(error: unknown): Conflict | undefined {
  if (!isRefusal(error) || error.code !== '23505') return undefined;
  return { kind: 'duplicate', table: error.table ?? '', key: error.constraint ?? '' };
}
