import { type LoggerOptions, type Logger as Pino, pino } from 'pino';
import type { Logger } from '../contract/observability.js';
import { batchedOutput } from './batched-output.js';
import type { Redactor } from './redactor.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  readonly redactor: Redactor;
  /** Where lines go; standard output when absent. */
  readonly write?: (line: string) => void;
}

/** One JSON object a line, times in ISO 8601, bigint as decimal text. No line leaves unredacted. */
export function createLogger(options: LogOptions): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  const write = options.write ?? batchedOutput();
  return wrap(pino(settings, { write: (line: string) => write(options.redactor.clean(line)) }));
}

function wrap(target: Pino): Logger {
  return {
    debug: (fields, message) => target.isLevelEnabled('debug') && target.debug(plain(fields), message),
    info: (fields, message) => target.info(plain(fields), message),
    warn: (fields, message) => target.warn(plain(fields), message),
    error: (fields, message) => target.error(plain(fields), message),
    child: (fields) => wrap(target.child(plain(fields))),
  };
}

/** Names whose values are secrets, whoever logs them. */
const SECRET_FIELD = /^(?:private_?key|secret|secret_?key|api_?key|admin_?key|mnemonic|password|authorization)$/i;

/** Names that were looked at; they are written in code, so there are few. */
const harmless = new Set<string>();
const MOST_NAMES = 1_000;

function isSecret(name: string): boolean {
  if (harmless.has(name)) return false;
  if (SECRET_FIELD.test(name)) return true;
  if (harmless.size < MOST_NAMES) harmless.add(name);
  return false;
}

/** JSON knows neither bigint nor errors nested under names other than `err`. */
function plain(fields: object): object {
  if (fields instanceof Error) return { err: errorFields(fields) };
  const result: Record<string, unknown> = {};
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    result[name] = typeof value === 'number' ? value : plainField(name, value);
  }
  return result;
}

function plainField(name: string, value: unknown): unknown {
  if (isSecret(name)) return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return errorFields(value);
  return typeof value === 'object' && value !== null ? deepPlain(value) : value;
}

function deepPlain(value: object): unknown {
  try {
    const replace = (name: string, inner: unknown) =>
      SECRET_FIELD.test(name) ? '[redacted]' : typeof inner === 'bigint' ? inner.toString() : inner;
    return JSON.parse(JSON.stringify(value, replace));
  } catch {
    return String(value);
  }
}

function errorFields(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}
