import type { PgOptions } from '../options.js';

/** Set at session start, so that no default of the server or role applies. */
export type Settings = Readonly<Record<string, string | number>>;

export function writerSettings(options: PgOptions): Settings {
  return {
    ...common(options),
    // A commit is answered once it is on disk, and on a synchronous standby if there is one.
    synchronous_commit: 'on',
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
  };
}

export function leaseSettings(options: PgOptions): Settings {
  return { ...writerSettings(options), statement_timeout: Math.min(options.statementTimeoutMs, 1_500) };
}

/** The selects of one transaction see one snapshot, and nothing can write. */
export function readerSettings(options: PgOptions): Settings {
  return {
    ...common(options),
    default_transaction_isolation: 'repeatable read',
    default_transaction_read_only: 'on',
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
  };
}

export function installerSettings(options: PgOptions): Settings {
  return { ...writerSettings(options), statement_timeout: 0 };
}

function common({ schema, statementTimeoutMs }: PgOptions): Settings {
  return {
    search_path: `"${schema.replaceAll('"', '""')}"`,
    statement_timeout: statementTimeoutMs,
    client_encoding: 'UTF8',
  };
}

/** The settings become `options`, which the server applies before the first statement. */
export function urlWith(given: string, settings: Settings): string {
  const url = new URL(given);
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(String(value))}`);
  const theirs = url.searchParams.get('options');
  url.searchParams.set('options', [...(theirs === null ? [] : [theirs]), ...own].join(' '));
  return url.href;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll(' ', '\\ ');
}
