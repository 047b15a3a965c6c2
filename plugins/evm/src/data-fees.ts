import type { Clock, Hex, Logger } from '@causeway/core';
import { type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { decodeFunctionResult, encodeFunctionData, keccak256, parseAbi, toHex } from 'viem/utils';
import type { Head } from './watch/heads.js';

export const DATA_FEES = ['none', 'op-stack', 'arbitrum'] as const;
export type DataFeeModel = (typeof DATA_FEES)[number];

export interface DataFee {
  /** In addition to gas, wei. */
  readonly native: bigint;
  /** As gas, included in the chain's estimates. */
  readonly gas: bigint;
}

export const NO_DATA_FEE: DataFee = Object.freeze({ native: 0n, gas: 0n });

const opStackAbi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)']);
const arbitrumAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
]);
/** Predeployed on every chain of the kind. */
const ORACLES: Readonly<Record<Exclude<DataFeeModel, 'none'>, Hex>> = {
  'op-stack': '0x420000000000000000000000000000000000000f',
  arbitrum: '0x00000000000000000000000000000000000000c8',
};

const REFRESH_INTERVAL_MS = 10_000;
const VALID_MS = 120_000;
/** Transaction sizes, in bytes, whose fee is read. Smaller ones cost as much as the first; others are interpolated. */
const [SMALL, LARGE] = [400, 4_400] as const;

interface Sample {
  readonly small: DataFee;
  readonly large: DataFee;
  readonly at: number;
}

/**
 * Data fees from the chain's oracle, read on new heads. Not guaranteed: the fee of the including block. Quotes buffer
 * it like gas.
 */
export class DataFees {
  readonly #model: DataFeeModel;
  readonly #providers: Pick<Providers, 'read' | 'unread'> | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  #sample: Sample | undefined;
  #asked = Number.NEGATIVE_INFINITY;
  #failing = false;

  constructor(
    model: DataFeeModel,
    services: { readonly clock: Clock; readonly log: Logger },
    providers?: Pick<Providers, 'read' | 'unread'>,
  ) {
    this.#model = model;
    this.#providers = providers;
    this.#clock = services.clock;
    this.#log = services.log;
  }

  /** Undefined while unknown. No I/O. */
  of(bytes: number): DataFee | undefined {
    if (this.#model === 'none') return NO_DATA_FEE;
    const sample = this.#sample;
    if (sample === undefined || this.#clock.monotonic() - sample.at > VALID_MS) return undefined;
    const { small, large } = sample;
    const between = (a: bigint, b: bigint) =>
      bytes <= SMALL || b <= a ? a : a + ((b - a) * BigInt(bytes - SMALL)) / BigInt(LARGE - SMALL);
    return { native: between(small.native, large.native), gas: between(small.gas, large.gas) };
  }

  onHead({ provider }: Pick<Head, 'provider'>): void {
    const now = this.#clock.monotonic();
    if (this.#model === 'none' || now - this.#asked < REFRESH_INTERVAL_MS) return;
    this.#asked = now;
    void this.#refresh(provider, ORACLES[this.#model], this.#model);
  }

  async #refresh(provider: Provider, to: Hex, model: Exclude<DataFeeModel, 'none'>): Promise<void> {
    try {
      const [small, large] = await Promise.all([SMALL, LARGE].map((bytes) => ask(provider, to, model, bytes)));
      if (small === undefined || large === undefined) return;
      this.#sample = { small, large, at: this.#clock.monotonic() };
      this.#failing = false;
      this.#providers?.read('data fees', provider);
    } catch (error) {
      this.#providers?.unread('data fees', provider, error);
      if (error instanceof TransportError || this.#failing) return;
      this.#failing = true;
      this.#log.warn({ oracle: to, error: String(error) }, 'the data fees of this chain cannot be read');
    }
  }
}

async function ask(provider: Provider, to: Hex, model: Exclude<DataFeeModel, 'none'>, bytes: number): Promise<DataFee> {
  const read = (data: Hex) => provider.rpc.request<Hex>('eth_call', [{ to, data }, 'latest']);
  if (model === 'op-stack') {
    const functionName = 'getL1FeeUpperBound';
    const data = await read(encodeFunctionData({ abi: opStackAbi, functionName, args: [BigInt(bytes)] }));
    return { native: decodeFunctionResult({ abi: opStackAbi, functionName, data }), gas: 0n };
  }
  const functionName = 'gasEstimateL1Component';
  const args = [to, false, unlikeAnything(bytes)] as const;
  const data = await read(encodeFunctionData({ abi: arbitrumAbi, functionName, args }));
  const [gas] = decodeFunctionResult({ abi: arbitrumAbi, functionName, data });
  return { native: 0n, gas };
}

function unlikeAnything(bytes: number): Hex {
  let text = '';
  for (let n = 0; text.length < bytes * 2; n += 1) text += keccak256(toHex(n)).slice(2);
  return `0x${text.slice(0, bytes * 2)}`;
}
