import { type LoggerOptions, type Logger as Pino, pino } from 'pino';
import type { Logger } from '../contract/observability.js';
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
    redact: { paths: ['privateKey', '*.privateKey', 'secret', '*.secret', 'apiKey', '*.apiKey'], censor: '[redacted]' },
  };
  const write = options.write ?? ((line: string) => void process.stdout.write(line));
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

/** JSON knows neither bigint nor errors nested under names other than `err`. */
function plain(fields: object): object {
  if (fields instanceof Error) return { err: errorFields(fields) };
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'bigint') result[name] = value.toString();
    else if (value instanceof Error) result[name] = errorFields(value);
    else result[name] = typeof value === 'object' && value !== null ? withoutBigints(value) : value;
  }
  return result;
}

function withoutBigints(value: object): unknown {
  try {
    return JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner)));
  } catch {
    return String(value);
  }
}

function errorFields(error: Error): object {
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { type: error.name, message: error.message, stack: error.stack, ...cause };
}
