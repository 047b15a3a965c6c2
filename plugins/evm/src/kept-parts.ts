import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { decodeErrorResult, encodeFunctionData, keccak256, stringToHex } from 'viem/utils';
import { errorsAbi, routerAbi } from './abi.js';
import { asHex } from './addresses.js';
import { readBalance } from './balances.js';
import type { ChainConfig } from './chain-config.js';
import { revertData } from './reverts.js';
import { tokensOf } from './token-check.js';

const WHOLE_BPS = 10_000n;
/** A share of fewer units is not told to a hundredth of a percent. */
const LEAST_TRIED = 100_000n;
/** Units of a token that are tried at most: some refuse larger transfers. */
const MOST_WHOLE = 1_000n;
/** Unix seconds, long past any order's: no trial fails for being late. */
const FAR = 2n ** 40n;
/** An address that nobody owns and that no token treats as special. */
const NOBODY: Hex = `0x${keccak256(stringToHex('causeway: nobody')).slice(-40)}`;

/** What is kept of a transfer: so many hundredths of a percent, rounded up or down. */
export interface Part {
  readonly bps: number;
  readonly up: boolean;
}

const NONE: Part = { bps: 0, up: false };

type Described = Pick<ChainConfig, 'currencies' | 'router' | 'statedKeptBps'>;

/**
 * What tokens keep of every transfer of them, in hundredths of a percent. They have no common way to tell it: what the options
 * say counts, else what a trial fill was short of at the head.
 *
 * Not guaranteed: a token of which the fill signer holds nothing, or which the router may not take, is not measured and taken
 * to keep nothing until it is. What arrives decides then.
 */
export class KeptParts {
  readonly #config: Described;
  readonly #fill: string;
  readonly #measured = new Map<string, Part>();

  /** @param fill address of the fill signer. */
  constructor(config: Described, fill: string) {
    this.#config = config;
    this.#fill = fill;
  }

  /** Hundredths of a percent, 0 to 10,000. Warm. */
  of(currency: string): number {
    return this.#part(currency).bps;
  }

  /** What at least arrives of a transfer. */
  arriving(currency: string, sent: bigint): bigint {
    return sent - shareOf(sent, this.#part(currency));
  }

  /** The least that has to be sent so that at least so much arrives. */
  sentFor(currency: string, arriving: bigint): bigint {
    return sentFor(arriving, this.#part(currency));
  }

  /** Of what is only stated nobody knows the rounding: one unit too many is sent back, one too few is no deposit. */
  #part(currency: string): Part {
    const stated = this.#config.statedKeptBps.get(currency);
    const measured = this.#measured.get(currency);
    if (stated === undefined || stated === measured?.bps) return measured ?? NONE;
    return { bps: stated, up: true };
  }

  /** @param allowances what the router may take of the fill signer's tokens. Rejects on infrastructure failure. */
  async measure(provider: Provider, allowances: ReadonlyMap<string, bigint>): Promise<void> {
    await Promise.all(
      tokensOf(this.#config).map(async ({ address, decimals }) => {
        const allowed = allowances.get(address) ?? 0n;
        if (allowed < LEAST_TRIED) return;
        const held = await heldBy(provider, this.#fill, address);
        const most = least(held, allowed, MOST_WHOLE * 10n ** BigInt(decimals));
        if (most < LEAST_TRIED) return;
        // Of such an amount no share in hundredths of a percent is a whole number, which shows how it is rounded.
        const amount = most - (most % WHOLE_BPS) - 1n;
        const delivered = await tryFill(provider, this.#config.router, this.#fill, address, amount);
        if (delivered !== undefined) this.#measured.set(address, partOf(amount, amount - delivered));
      }),
    );
  }
}

export function sentFor(arriving: bigint, part: Part): bigint {
  const kept = BigInt(part.bps);
  if (kept === 0n || kept >= WHOLE_BPS) return arriving;
  let sent = (arriving * WHOLE_BPS) / (WHOLE_BPS - kept);
  while (sent - shareOf(sent, part) < arriving) sent += 1n;
  while (sent - 1n - shareOf(sent - 1n, part) >= arriving) sent -= 1n;
  return sent;
}

function shareOf(sent: bigint, { bps, up }: Part): bigint {
  return (sent * BigInt(bps) + (up ? WHOLE_BPS - 1n : 0n)) / WHOLE_BPS;
}

/** What was kept of a trial. Shares finer than a hundredth of a percent count as the next larger one. */
function partOf(sent: bigint, kept: bigint): Part {
  const bps = Number((2n * kept * WHOLE_BPS + sent) / (2n * sent));
  const found = [false, true].map((up): Part => ({ bps, up })).find((part) => shareOf(sent, part) === kept);
  return found ?? { bps: Number((kept * WHOLE_BPS + sent - 1n) / sent), up: true };
}

async function heldBy(provider: Provider, owner: string, token: string): Promise<bigint> {
  try {
    return await readBalance(provider, owner, token);
  } catch (error) {
    if (error instanceof RpcError && revertData(error) !== undefined) return 0n;
    throw error;
  }
}

/** What a fill of so much would deliver. Undefined where it fails for another reason than being short. */
async function tryFill(
  { rpc }: Provider,
  router: Hex,
  from: string,
  token: string,
  amount: bigint,
): Promise<bigint | undefined> {
  const orderId = keccak256(stringToHex(`causeway: trial of ${token}`));
  const args = [asHex(token), NOBODY, amount, FAR, orderId] as const;
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

/** Of the router's own refusal alone: what a token throws under the same name is about another token or amount. */
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
