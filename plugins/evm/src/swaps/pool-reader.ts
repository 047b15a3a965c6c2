import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from 'viem';
import { decodeFunctionResult, encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { NATIVE } from '../addresses.js';
import type { Spans } from '../logs/spans.js';
import { pairAbi, pairFactoryAbi, poolAbi, poolFactoryAbi } from './abi.js';
import type { SwapConfig } from './config.js';
import { Pair } from './pair.js';
import type { Pool } from './pool.js';
import { type Read, readMany, type Words } from './read-many.js';
import { ConcentratedPool } from './v3/concentrated-pool.js';
import type { TickBudget } from './v3/tick-budget.js';
import { boundsOf, gapAt, type TickWindow, ticksIn, type WindowGap, withTicks } from './v3/tick-window.js';

export interface Place extends Pick<Pool, 'address' | 'token0' | 'token1' | 'fee'> {
  readonly kind: 'pair' | 'pool';
}

export interface Wish {
  readonly place: Place;
  readonly window: TickWindow | undefined;
}

/** `left`: the shared budget is used up, read later. `held`: the pool exceeds its own budget. */
export type PoolRead =
  | { readonly is: 'read'; readonly pool: Pool; readonly window?: TickWindow }
  | { readonly is: 'left'; readonly window: TickWindow | undefined }
  | { readonly is: 'held' };

const RESERVES = asker(pairAbi[0]);
const SLOT = asker(poolAbi[0]);
const LIQUIDITY = asker(poolAbi[1]);
const SPACING = asker(poolAbi[2]);
const BITMAP = asker(poolAbi[3]);
const TICKS = asker(poolAbi[4]);
const POOLS_PER_READ = 8;

export class PoolReader {
  readonly #provider: Provider;
  readonly #blockHash: Hex;
  readonly #spans: Spans;

  constructor(provider: Provider, blockHash: Hex, spans: Spans) {
    this.#provider = provider;
    this.#blockHash = blockHash;
    this.#spans = spans;
  }

  async places({ tokens, pairs, pools }: SwapConfig): Promise<readonly Place[]> {
    const sorted = [...new Set(tokens)].sort();
    const couples = sorted.flatMap((token0, n) => sorted.slice(n + 1).map((token1) => ({ token0, token1 })));
    const asked = couples.flatMap(({ token0, token1 }) => [
      ...(pairs
        ? [
            this.#call(pairs.factory, pairFactoryAbi, 'getPair', [token0 as Hex, token1 as Hex]).then((address) =>
              placeOf('pair', address, token0, token1, pairs.fee),
            ),
          ]
        : []),
      ...(pools?.fees ?? []).map((fee) =>
        this.#call(pools?.factory ?? '', poolFactoryAbi, 'getPool', [token0 as Hex, token1 as Hex, fee]).then(
          (address) => placeOf('pool', address, token0, token1, fee),
        ),
      ),
    ]);
    return (await Promise.all(asked)).flatMap((place) => place ?? []);
  }

  async pools(wishes: readonly Wish[], words: number, budget: TickBudget): Promise<ReadonlyMap<string, PoolRead>> {
    const asks = wishes.map(({ place: { kind, address } }) =>
      kind === 'pair' ? [RESERVES(address)] : [SLOT(address), LIQUIDITY(address), SPACING(address)],
    );
    const answers = await this.#many(asks);
    const found = new Map<string, PoolRead>();
    const concentrated: Concentrated[] = [];
    for (const [n, { place, window }] of wishes.entries()) {
      const [first, liquidity, spacing] = answers[n] as readonly [Words, ...Words[]];
      if (place.kind === 'pair')
        found.set(place.address, { is: 'read', pool: new Pair(place, { reserve0: first[0], reserve1: first[1] }) });
      else {
        const [sqrtPrice, tick] = [first[0], Number(BigInt.asIntN(24, first[1]))];
        const gap = gapAt(tick, Number(spacing?.[0]), words, window);
        concentrated.push({ place, window, gap, state: { sqrtPrice, tick, liquidity: liquidity?.[0] ?? 0n } });
      }
    }
    for (let from = 0; from < concentrated.length; from += POOLS_PER_READ)
      for (const [address, read] of await this.#filled(concentrated.slice(from, from + POOLS_PER_READ), budget))
        found.set(address, read);
    return found;
  }

  async #filled(some: readonly Concentrated[], budget: TickBudget): Promise<ReadonlyMap<string, PoolRead>> {
    const found = new Map<string, PoolRead>();
    const allowed = <T extends Concentrated>(one: T, reads: number): readonly T[] => {
      const { address } = one.place;
      const when = budget.take(address, reads);
      if (when === 'now') return [one];
      found.set(address, when === 'hold' ? { is: 'held' } : { is: 'left', window: one.window });
      return [];
    };
    const mapped = some.flatMap((one) => allowed(one, one.gap.words.length));
    const maps = await this.#many(mapped.map(({ place, gap }) => gap.words.map((word) => BITMAP(place.address, word))));
    const asked = mapped.flatMap((one, n) => {
      const { kept, words } = one.gap;
      const fresh = words.flatMap((word, at) => ticksIn(word, maps[n]?.[at]?.[0] ?? 0n, kept.tickSpacing));
      const indexes = [...new Set([...kept.stale, ...fresh])];
      return allowed({ ...one, indexes }, indexes.length);
    });
    const ticks = await this.#many(
      asked.map(({ place, indexes }) => indexes.map((tick) => TICKS(place.address, tick))),
    );
    for (const [n, { place, gap, indexes, state }] of asked.entries()) {
      const read = indexes.map((index, at) => [index, netOf(ticks[n]?.[at] ?? [0n, 0n])] as const);
      const window = withTicks(gap.kept, new Map(read));
      const { tickSpacing, ticks: all } = window;
      const pool = new ConcentratedPool(place, { ...state, tickSpacing, ticks: all, ...boundsOf(window) });
      found.set(place.address, { is: 'read', pool, window });
    }
    return found;
  }

  async #many(groups: readonly (readonly Read[])[]): Promise<readonly (readonly Words[])[]> {
    const all = await readMany(this.#provider, groups.flat(), this.#blockHash, this.#spans);
    let at = 0;
    return groups.map(({ length }) => {
      at += length;
      return all.slice(at - length, at);
    });
  }

  async #call<const A extends Abi, N extends ContractFunctionName<A, 'view' | 'pure'>>(
    to: string,
    abi: A,
    functionName: N,
    args: ContractFunctionArgs<A, 'view' | 'pure', N>,
  ): Promise<ContractFunctionReturnType<A, 'view' | 'pure', N>> {
    const data = encodeFunctionData({ abi, functionName, args } as never);
    const block = { blockHash: this.#blockHash };
    const answer = await this.#provider.rpc.request<Hex>('eth_call', [{ to, data }, block]);
    return decodeFunctionResult({ abi, functionName, args, data: answer } as never) as never;
  }
}

interface Concentrated extends Wish {
  readonly gap: WindowGap;
  readonly state: { readonly sqrtPrice: bigint; readonly tick: number; readonly liquidity: bigint };
}

/** Of `ticks(int24)`: gross liquidity, and the net change when the price rises past the tick. */
function netOf([gross, net]: Words): bigint | undefined {
  return gross === 0n ? undefined : BigInt.asIntN(128, net);
}

function asker(item: Parameters<typeof toFunctionSelector>[0]): (to: string, argument?: number) => Read {
  const selector = toFunctionSelector(item);
  return (to, argument = 0) => {
    const word = BigInt.asUintN(256, BigInt(argument)).toString(16).padStart(64, '0');
    return { to, data: `${selector}${word}` };
  };
}

function placeOf(kind: Place['kind'], address: string, token0: string, token1: string, fee: number): Place | undefined {
  return address === NATIVE ? undefined : { kind, address: address.toLowerCase(), token0, token1, fee };
}
