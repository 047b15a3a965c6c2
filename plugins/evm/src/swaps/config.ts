import { OptionError } from '@causeway/core';
import { currencyKey, NATIVE, parseAddress } from '../addresses.js';
import type { EvmChainOptions } from '../options.js';
import { SWAP_DEFAULTS } from './options.js';

export interface SwapConfig {
  readonly tokens: readonly string[];
  readonly wrapped: string;
  readonly maxHops: number;
  /** Older pool states are not quoted from. */
  readonly maxAgeMs: number;
  readonly pairs?: { readonly factory: string; readonly router: string; readonly fee: number };
  /** Absent: none. `words`: bitmap words on either side of the price. */
  readonly pools?: {
    readonly factory: string;
    readonly router: string;
    readonly fees: readonly number[];
    readonly words: number;
  };
}

const MIN_AGE_MS = 10_000;

/** Undefined for a chain without swaps. @throws OptionError for what the schema cannot check. */
export function swapConfig(options: EvmChainOptions, index: number): SwapConfig | undefined {
  const { swaps } = options;
  if (swaps === undefined) return undefined;
  const where = `chains[${index}]`;
  const { wrappedNative } = options.contracts ?? {};
  if (wrappedNative === undefined)
    throw new OptionError(
      `${where}.contracts.wrappedNative`,
      'missing: swaps of native coin pass through what wraps it',
    );
  const wrapped = contract(wrappedNative, `${where}.contracts.wrappedNative`);
  const through = (swaps.through ?? []).map((text, n) => contract(text, `${where}.swaps.through[${n}]`));
  // Pool quotes are wrong for tokens with a transfer fee.
  const whole = (options.currencies ?? []).filter(({ transferFeeBps = 0 }) => transferFeeBps === 0);
  const { uniswapV2: v2, uniswapV3: v3 } = swaps;
  return {
    tokens: [...new Set([wrapped, ...whole.map(({ address }) => currencyKey(address)), ...through])],
    wrapped,
    maxHops: swaps.maxHops ?? SWAP_DEFAULTS.maxHops,
    maxAgeMs: swaps.maxAgeMs ?? Math.max(MIN_AGE_MS, 3 * (options.blockTimeMs ?? 12_000)),
    ...(v2 && {
      pairs: {
        factory: contract(v2.factory, `${where}.swaps.uniswapV2.factory`),
        router: contract(v2.router, `${where}.swaps.uniswapV2.router`),
        fee: v2.fee ?? SWAP_DEFAULTS.pairFee,
      },
    }),
    ...(v3 && {
      pools: {
        factory: contract(v3.factory, `${where}.swaps.uniswapV3.factory`),
        router: contract(v3.router, `${where}.swaps.uniswapV3.router`),
        fees: v3.fees ?? SWAP_DEFAULTS.poolFees,
        words: v3.words ?? SWAP_DEFAULTS.words,
      },
    }),
  };
}

function contract(text: string, where: string): string {
  const parsed = parseAddress(text);
  if (!parsed.ok) throw new OptionError(where, parsed.reason);
  if (parsed.value === NATIVE) throw new OptionError(where, 'the zero address is no contract');
  return parsed.value;
}
