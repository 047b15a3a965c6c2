import { OptionError } from '@causeway/core';
import { CALL_REASONS, type CallReason } from './call-reasons.js';
import {
  ERROR_STRING,
  type ErrorRegistry,
  errorRegistry,
  PANIC,
  parseError,
  selectorOf,
  WELL_KNOWN,
} from './error-registry.js';
import type { KnownErrorRow } from './known-errors.js';

/** An error of a contract that users call, as in Solidity: `error Closed(uint256 since)`. */
export type ErrorOption = string | { readonly error: string; readonly failReason?: CallReason };

const DECLARATION = {
  type: 'string',
  maxLength: 500,
  pattern: '^error [A-Za-z_$][A-Za-z0-9_$]*\\(.*\\)$',
  description: 'Its declaration, as in Solidity.',
  examples: ['error MarketClosed(uint256 since)'],
};

export const errorOptions: object = {
  type: 'array',
  maxItems: 1_000,
  description:
    'Errors of contracts that users call, in addition to those of widely used contracts: refusals then name them. An entry replaces a known error with the same selector.',
  items: {
    description: 'One error.',
    anyOf: [
      DECLARATION,
      {
        type: 'object',
        description: 'One error and its meaning.',
        required: ['error'],
        properties: {
          error: DECLARATION,
          failReason: {
            enum: [...CALL_REASONS],
            description: 'Its meaning for clients. Default: its name in the same style.',
            examples: ['CONTRACT_PAUSED'],
          },
        },
        additionalProperties: false,
      },
    ],
    examples: ['error MarketClosed(uint256 since)', { error: 'error Halted()', failReason: 'CONTRACT_PAUSED' }],
  },
  default: [],
  examples: [['error MarketClosed(uint256 since)']],
};

/** @throws OptionError that names the entry. */
export function readErrors(options: readonly ErrorOption[] = []): ErrorRegistry {
  if (options.length === 0) return WELL_KNOWN;
  const seen = new Map<string, number>();
  return errorRegistry(options.map((option, n) => readError(option, n, seen)));
}

function readError(option: ErrorOption, n: number, seen: Map<string, number>): KnownErrorRow {
  const { error, failReason = undefined } = typeof option === 'string' ? { error: option } : option;
  const path = typeof option === 'string' ? `errors[${n}]` : `errors[${n}].error`;
  const selector = selectorAt(error, path);
  const before = seen.get(selector);
  if (before !== undefined) throw new OptionError(path, `has the selector of errors[${before}], ${selector}`);
  seen.set(selector, n);
  return { error, ...(failReason === undefined ? {} : { reason: failReason }) };
}

function selectorAt(error: string, path: string): string {
  let selector: string;
  try {
    selector = selectorOf(parseError(error));
  } catch (problem) {
    const [why] = (problem instanceof Error ? problem.message : String(problem)).split('\n');
    throw new OptionError(path, `${error}: ${why}`);
  }
  if (selector === ERROR_STRING || selector === PANIC) throw new OptionError(path, `${error} is Solidity's own`);
  return selector;
}
