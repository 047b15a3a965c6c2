import { type LoggerOptions, type Logger as Pino, pino } from 'pino';
import type { Logger } from '../contract/observability.js';
import { cutText } from '../domain/cut-text.js';
import { batchedOutput } from './batched-output.js';
import type { Redactor } from './redactor.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  readonly redactor: Redactor;
  readonly write?: (line: string) => void;
}

/** Characters of one text, and of one object as JSON, so that external input cannot fill the disk. */
const MAX_TEXT_CHARACTERS = 4_000;
const MAX_OBJECT_CHARACTERS = 16_000;

/**
 * One JSON object per line, times in ISO 8601, bigint as decimal text. Redacted before it is cut: a secret cut in two
 * would not be recognised.
 */
export function createLogger(options: LogOptions): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  const write = options.write ?? batchedOutput();
  const cut: Cut = (text, most) => (text.length <= most ? text : cutText(options.redactor.clean(text), most));
  return wrap(pino(settings, { write: (line: string) => write(options.redactor.clean(line)) }), cut);
}

type Cut = (text: string, most: number) => string;

function wrap(target: Pino, cut: Cut): Logger {
  const say = (message: string): string => cut(message, MAX_TEXT_CHARACTERS);
  return {
    debug: (fields, message) => target.isLevelEnabled('debug') && target.debug(plain(fields, cut), say(message)),
    info: (fields, message) => target.info(plain(fields, cut), say(message)),
    warn: (fields, message) => target.warn(plain(fields, cut), say(message)),
    error: (fields, message) => target.error(plain(fields, cut), say(message)),
    child: (fields) => wrap(target.child(plain(fields, cut)), cut),
  };
}

/** Names whose values are always redacted. */
const SECRET_FIELD = /^(?:private_?key|secret|secret_?key|api_?key|admin_?key|mnemonic|password|authorization)$/i;

/** Cache of checked names; they come from code, so there are few. */
const harmless = new Set<string>();
const MAX_NAMES = 1_000;

function isSecret(name: string): boolean {
  if (harmless.has(name)) return false;
  if (SECRET_FIELD.test(name)) return true;
  if (harmless.size < MAX_NAMES) harmless.add(name);
  return false;
}

/** JSON supports neither bigint nor errors under names other than `err`. */
function plain(fields: object, cut: Cut): object {
  if (fields instanceof Error) return { err: errorFields(fields, cut) };
  const result: Record<string, unknown> = {};
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    result[name] = typeof value === 'number' ? value : plainField(name, value, cut);
  }
  return result;
}

function plainField(name: string, value: unknown, cut: Cut): unknown {
  if (isSecret(name)) return '[redacted]';
  if (typeof value === 'string') return cut(value, MAX_TEXT_CHARACTERS);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return errorFields(value, cut);
  return typeof value === 'object' && value !== null ? deepPlain(value, cut) : value;
}

function deepPlain(value: object, cut: Cut): unknown {
  try {
    const replace = (name: string, inner: unknown) => {
      if (SECRET_FIELD.test(name)) return '[redacted]';
      if (typeof inner === 'string') return cut(inner, MAX_TEXT_CHARACTERS);
      return typeof inner === 'bigint' ? inner.toString() : inner;
    };
    const text = JSON.stringify(value, replace);
    return text.length <= MAX_OBJECT_CHARACTERS ? JSON.parse(text) : cut(text, MAX_OBJECT_CHARACTERS);
  } catch {
    return String(value);
  }
}

function errorFields(error: Error, cut: Cut): object {
  const text = (value: string) => cut(value, MAX_TEXT_CHARACTERS);
  const cause = error.cause instanceof Error ? { cause: text(error.cause.message) } : {};
  return {
    type: error.name,
    message: text(error.message),
    ...(error.stack === undefined ? {} : { stack: text(error.stack) }),
    ...cause,
  };
}
