import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { decodeErrorResult, encodeFunctionData, keccak256, stringToHex } from 'viem/utils';
import { errorsAbi, routerAbi } from './abi.js';
import { asHex } from './addresses.js';
import { readBalance } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import { revertData } from './reverts.js';
import { tokensOf } from './token-check.js';

const BPS = 10_000n;
/** Fewer units do not resolve a hundredth of a percent. */
const MIN_TRIED_AMOUNT = 100_000n;
/** Whole tokens; some tokens refuse larger transfers. */
const MAX_TRIED_WHOLE_UNITS = 1_000n;
const DISTANT_DEADLINE = 2n ** 40n;
/** No known key, and no token treats it specially. */
const UNUSED_ADDRESS: Hex = `0x${keccak256(stringToHex('causeway: no one')).slice(-40)}`;

export interface Part {
  readonly bps: number;
  readonly up: boolean;
}

const NONE: Part = { bps: 0, up: false };

type Described = Pick<ChainConfig, 'currencies' | 'router' | 'statedKeptBps'>;

/**
 * Transfer fees in hundredths of a percent: from the options, else the shortfall of a trial fill at the head.
 *
 * Not guaranteed: a token that the fill signer does not hold, or without allowance for the router, counts as free of
 * fees. What arrives decides then.
 */
export class KeptParts {
  readonly #config: Described;
  readonly #fill: string;
  readonly #measured = new Map<string, Part>();

  constructor(config: Described, fill: string) {
    this.#config = config;
    this.#fill = fill;
  }

  /** Hundredths of a percent, 0 to 10,000. No I/O. */
  of(currency: string): number {
    return this.#part(currency).bps;
  }

  /** Lower bound of what arrives of a transfer. */
  arriving(currency: string, sent: bigint): bigint {
    return /* guard: evm-kept-part */ sent - shareOf(sent, this.#part(currency));
  }

  /** The minimum to send so that at least `arriving` arrives. */
  sentFor(currency: string, arriving: bigint): bigint {
    return sentFor(arriving, this.#part(currency));
  }

  /** The rounding of a configured fee is unknown: one unit too many is refunded, one too few is no deposit. */
  #part(currency: string): Part {
    const stated = this.#config.statedKeptBps.get(currency);
    const measured = this.#measured.get(currency);
    if (stated === undefined || stated === measured?.bps) return measured ?? NONE;
    return { bps: stated, up: true };
  }

  async measure(provider: Provider, allowances: ReadonlyMap<string, bigint>): Promise<void> {
    await Promise.all(
      tokensOf(this.#config).map(async ({ address, decimals }) => {
        const allowed = allowances.get(address) ?? 0n;
        if (allowed < MIN_TRIED_AMOUNT) return;
        const held = await heldBy(provider, this.#fill, address);
        const most = least(held, allowed, MAX_TRIED_WHOLE_UNITS * 10n ** BigInt(decimals));
        if (most < MIN_TRIED_AMOUNT) return;
        // No fee in hundredths of a percent is whole for this amount, which reveals the rounding.
        const amount = most - (most % BPS) - 1n;
        const delivered = await tryFill(provider, this.#config.router, this.#fill, address, amount);
        if (delivered !== undefined) this.#measured.set(address, partOf(amount, amount - delivered));
      }),
    );
  }
}

export function sentFor(arriving: bigint, part: Part): bigint {
  const kept = BigInt(part.bps);
  if (kept === 0n || kept >= BPS) return arriving;
  let sent = (arriving * BPS) / (BPS - kept);
  while (sent - shareOf(sent, part) < arriving) sent += 1n;
  while (sent - 1n - shareOf(sent - 1n, part) >= arriving) sent -= 1n;
  return sent;
}

function shareOf(sent: bigint, { bps, up }: Part): bigint {
  return (sent * BigInt(bps) + (up ? BPS - 1n : 0n)) / BPS;
}

/** Rounded up to a hundredth of a percent. */
function partOf(sent: bigint, kept: bigint): Part {
  const bps = Number((2n * kept * BPS + sent) / (2n * sent));
  const found = [false, true].map((up): Part => ({ bps, up })).find((part) => shareOf(sent, part) === kept);
  return found ?? { bps: Number((kept * BPS + sent - 1n) / sent), up: true };
}

async function heldBy(provider: Provider, owner: string, token: string): Promise<bigint> {
  try {
    return await readBalance(provider, owner, token);
  } catch (error) {
    if (error instanceof RpcError && revertData(error) !== undefined) return 0n;
    throw error;
  }
}

async function tryFill(
  { rpc }: Provider,
  router: Hex,
  from: string,
  token: string,
  amount: bigint,
): Promise<bigint | undefined> {
  const orderId = keccak256(stringToHex(`causeway: trial of ${token}`));
  const args = [asHex(token), UNUSED_ADDRESS, amount, DISTANT_DEADLINE, orderId] as const;
  const data = encodeFunctionData({ abi: routerAbi, functionName: 'fill', args });
  try {
    await rpc.request<Hex>('eth_call', [{ from, to: router, data }, 'latest']);
    return amount;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const reverted = revertData(error);
    if (reverted === undefined) throw error;
    return deliveredIn(reverted, token, amount);
  }
}

/** Only the router's own error: a token's error of the same name is about another token or amount. */
function deliveredIn(reverted: Hex, token: string, amount: bigint): bigint | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorsAbi, data: reverted });
    if (errorName !== 'DeliveredShort') return undefined;
    const [of, wanted, delivered] = args;
    return of.toLowerCase() === token && wanted === amount && delivered < amount ? delivered : undefined;
  } catch {
    return undefined;
  }
}

function least(...amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}
