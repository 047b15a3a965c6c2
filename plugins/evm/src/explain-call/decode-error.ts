import type { DecodedError, Hex } from '@causeway/core';
import { decodeAbiParameters } from 'viem/utils';
import { brief } from '../brief.js';
import type { FailReason } from '../fail-reason.js';
import type { CallReason } from './call-reasons.js';
import { valueText } from './error-args.js';
import { labelOf } from './error-label.js';
import { ERROR_STRING, type ErrorRegistry, type KnownError, PANIC } from './error-registry.js';
import { reasonOfText, textPassesOn } from './error-texts.js';
import { haltOf } from './halts.js';
import { panicOf } from './panics.js';

export interface ErrorMeaning {
  readonly error: DecodedError;
  /** What the error is known to mean. */
  readonly reason?: FailReason;
  /** Meaning if a third party's contract threw the error, which may look like one of the service's own. */
  readonly callReason?: CallReason;
  /** The error reports that a call made by its contract failed. */
  readonly passesOn: boolean;
  /** Data and address of that call, if the error contains them. */
  readonly inner?: { readonly data: Hex; readonly address?: string };
}

/** Longer data is not decoded: the called contract chooses its length, and errors of libraries are far shorter. */
const MAX_DECODED_BYTES = 16_384;
const MAX_RAW_BYTES = 1_024;
const SELECTOR_CHARACTERS = 10;

/**
 * Decodes revert data. Never throws, whatever the data; the result is bounded.
 *
 * @param halt the node's error message, used if there is no data.
 */
export function decodeError(data: Hex, errors: ErrorRegistry, halt?: string): ErrorMeaning {
  if (data === '0x') return empty(halt);
  if (data.length < SELECTOR_CHARACTERS) return unknown(data, undefined, data);
  const selector = data.slice(0, SELECTOR_CHARACTERS).toLowerCase() as Hex;
  if (selector === ERROR_STRING) return errorString(selector, data);
  if (selector === PANIC) return panic(selector, data);
  const known = errors.get(selector);
  return known === undefined ? unknown(selector, selector, argumentsOf(data)) : custom(known, selector, data);
}

function empty(halt: string | undefined): ErrorMeaning {
  const { label, message, reason } = haltOf(halt);
  const error = { type: 'empty', label, message } as const;
  return { error, passesOn: false, ...(reason && { reason, callReason: reason }) };
}

function argumentsOf(data: Hex): Hex {
  return `0x${data.slice(SELECTOR_CHARACTERS)}`;
}

function unknown(label: Hex, selector: Hex | undefined, args: Hex): ErrorMeaning {
  return {
    error: {
      type: 'unknownCustomError',
      label: `UNKNOWN_CUSTOM_ERROR_${label}`,
      message: `reverted with the unknown error ${label}`,
      ...(selector === undefined ? {} : { selector }),
      ...raw(args),
    },
    passesOn: false,
  };
}

function raw(args: Hex): Pick<DecodedError, 'rawArgsHex'> {
  return args === '0x' ? {} : { rawArgsHex: args.slice(0, 2 + 2 * MAX_RAW_BYTES) };
}

function errorString(selector: Hex, data: Hex): ErrorMeaning {
  const base = { type: 'errorString', selector, name: 'Error' } as const;
  const [text] = decoded([{ type: 'string' }], data) ?? [];
  if (typeof text !== 'string') {
    const message = 'reverted with a text that cannot be read';
    return { error: { ...base, label: 'EXECUTION_REVERTED', message, ...raw(argumentsOf(data)) }, passesOn: false };
  }
  const reason = reasonOfText(text);
  const message = brief(text);
  return {
    error: { ...base, label: reason ?? 'EXECUTION_REVERTED', message, args: { message } },
    ...(reason && { reason, callReason: reason }),
    passesOn: textPassesOn(text),
  };
}

function panic(selector: Hex, data: Hex): ErrorMeaning {
  const base = { type: 'panic', selector, name: 'Panic' } as const;
  const [code] = decoded([{ type: 'uint256' }], data) ?? [];
  if (typeof code !== 'bigint') {
    const message = 'a panic without a code';
    return { error: { ...base, label: 'PANIC', message, ...raw(argumentsOf(data)) }, passesOn: false };
  }
  return { error: { ...base, ...panicOf(code), args: { code: code.toString() } }, passesOn: false };
}

function custom(known: KnownError, selector: Hex, data: Hex): ErrorMeaning {
  const { name, inputs, passesOn = false } = known;
  const values = decoded(inputs, data);
  const named = new Map(inputs.map((input, n) => [input.name || `${n}`, values?.[n]]));
  const says = text(named, known.text);
  const said = says === undefined ? undefined : reasonOfText(says);
  const reason = known.reason ?? said;
  const callReason = known.callReason ?? said;
  const shown = values === undefined ? undefined : [...named].map(([key, value]) => [key, valueText(value)] as const);
  return {
    error: {
      ...{ type: 'customError', label: reason ?? labelOf(name), selector, name },
      message: brief(`${name}(${shown === undefined ? 'arguments that cannot be read' : list(shown)})`),
      ...(shown === undefined ? raw(argumentsOf(data)) : { args: Object.fromEntries(shown) }),
    },
    ...(reason && { reason }),
    ...(callReason && { callReason }),
    passesOn: passesOn || (says !== undefined && textPassesOn(says)),
    ...innerOf(known, named),
  };
}

function list(shown: readonly (readonly [string, string])[]): string {
  return shown.map(([, value]) => value).join(', ');
}

function text(named: ReadonlyMap<string, unknown>, key: string | undefined): string | undefined {
  const value = key === undefined ? undefined : named.get(key);
  return typeof value === 'string' ? value : undefined;
}

function innerOf(known: KnownError, named: ReadonlyMap<string, unknown>): Pick<ErrorMeaning, 'inner'> {
  const data = text(named, known.inner);
  if (data === undefined) return {};
  const address = text(named, known.at)?.toLowerCase();
  return { inner: { data: data as Hex, ...(address === undefined ? {} : { address }) } };
}

function decoded(inputs: KnownError['inputs'], data: Hex): readonly unknown[] | undefined {
  if (data.length > 2 + 2 * MAX_DECODED_BYTES) return undefined;
  try {
    return decodeAbiParameters(inputs, argumentsOf(data)) as readonly unknown[];
  } catch {
    return undefined;
  }
}
