import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import type { Abi, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from 'viem';
import { decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import { NATIVE } from '../addresses.js';
import { pairAbi, pairFactoryAbi, poolAbi, poolFactoryAbi } from './abi.js';
import type { SwapConfig } from './config.js';
import { Pair } from './pair.js';
import type { Pool } from './pool.js';
import { ConcentratedPool, type Tick } from './v3/concentrated-pool.js';

/** A pool that a factory made. */
export interface Place extends Pick<Pool, 'address' | 'token0' | 'token1' | 'fee'> {
  readonly kind: 'pair' | 'pool';
}

/** Ticks of a pool around a price. */
export interface TickWindow {
  readonly tickSpacing: number;
  readonly ticks: readonly Tick[];
  readonly lowest: number;
  readonly highest: number;
  /** Word of the bitmap that it was read around. */
  readonly word: number;
}

const WORD = 256;

/** Reads contracts of others at one block, as one provider has it. Calls made together leave as one batch. */
export class PoolReader {
  readonly #provider: Provider;
  readonly #block: { readonly blockHash: Hex };

  constructor(provider: Provider, blockHash: Hex) {
    this.#provider = provider;
    this.#block = { blockHash };
  }

  /** Every pool between the tokens that the factories know. */
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

  async pair(place: Place): Promise<Pool> {
    const [reserve0, reserve1] = await this.#call(place.address, pairAbi, 'getReserves', []);
    return new Pair(place, { reserve0, reserve1 });
  }

  /** @param known ticks of before, where none has changed since. @param words on either side of the price. */
  async pool(
    place: Place,
    words: number,
    known: TickWindow | undefined,
  ): Promise<{ readonly pool: Pool; readonly window: TickWindow }> {
    const [slot, liquidity, spacing] = await Promise.all([
      this.#call(place.address, poolAbi, 'slot0', []),
      this.#call(place.address, poolAbi, 'liquidity', []),
      known?.tickSpacing ?? this.#call(place.address, poolAbi, 'tickSpacing', []),
    ]);
    const [sqrtPrice, tick] = slot;
    const word = Math.floor(Math.floor(tick / spacing) / WORD);
    const near = known !== undefined && Math.abs(known.word - word) <= words / 2;
    const window = near ? known : await this.#window(place, spacing, word, words);
    const { ticks, lowest, highest, tickSpacing } = window;
    const state = { sqrtPrice, tick, liquidity, tickSpacing, ticks, lowest, highest };
    return { pool: new ConcentratedPool(place, state), window };
  }

  async #window({ address }: Place, tickSpacing: number, word: number, words: number): Promise<TickWindow> {
    const [first, last] = [word - words, word + words];
    const asked = Array.from({ length: last - first + 1 }, (_, n) => first + n);
    const maps = await Promise.all(asked.map((at) => this.#call(address, poolAbi, 'tickBitmap', [at])));
    const indexes = maps.flatMap((map, n) => bitsOf(map).map((bit) => ((first + n) * WORD + bit) * tickSpacing));
    const found = await Promise.all(indexes.map((index) => this.#call(address, poolAbi, 'ticks', [index])));
    const ticks = found.map(([, liquidityNet], n) => ({ index: indexes[n] as number, liquidityNet }));
    const [lowest, highest] = [first * WORD * tickSpacing, (last * WORD + WORD - 1) * tickSpacing];
    return { tickSpacing, ticks, lowest, highest, word };
  }

  async #call<const A extends Abi, N extends ContractFunctionName<A, 'view' | 'pure'>>(
    to: string,
    abi: A,
    functionName: N,
    args: ContractFunctionArgs<A, 'view' | 'pure', N>,
  ): Promise<ContractFunctionReturnType<A, 'view' | 'pure', N>> {
    const data = encodeFunctionData({ abi, functionName, args } as never);
    const answer = await this.#provider.rpc.request<Hex>('eth_call', [{ to, data }, this.#block]);
    return decodeFunctionResult({ abi, functionName, args, data: answer } as never) as never;
  }
}

function placeOf(kind: Place['kind'], address: string, token0: string, token1: string, fee: number): Place | undefined {
  return address === NATIVE ? undefined : { kind, address: address.toLowerCase(), token0, token1, fee };
}

function bitsOf(word: bigint): readonly number[] {
  const bits: number[] = [];
  for (let bit = 0; word >> BigInt(bit) > 0n; bit += 1) if ((word >> BigInt(bit)) & 1n) bits.push(bit);
  return bits;
}
