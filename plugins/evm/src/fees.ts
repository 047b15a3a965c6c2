import type { Clock, Logger, UnixMs } from '@causeway/core';
import { type HttpClient, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { GasConfig } from './chain-config.js';
import { type DataFee, DataFees } from './data-fees.js';
import type { Head } from './watch/heads.js';

export interface FeeSample {
  readonly baseFee: bigint;
  readonly priorityFee: bigint;
  readonly at: UnixMs;
}

export interface FeeTerms {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface FeeSource {
  sample(): FeeSample | undefined;
  terms(): FeeTerms | 'feeCap' | undefined;
  bumped(previous: FeeTerms): FeeTerms | 'feeCap' | undefined;
  /** Cost of transaction bytes in addition to gas; undefined while unknown. No I/O. */
  dataFee(bytes: number): DataFee | undefined;
  onHead(head: Head): void;
}

/** Nodes refuse a replacement that does not raise both fields by at least this much (parts per thousand). */
const MIN_BUMP = 1100n;
const HISTORY_INTERVAL_MS = 2000;

/** EIP-1559: twice the base fee plus the median tip of recent blocks, within the configured caps. */
export class Eip1559Fees implements FeeSource {
  readonly #gas: GasConfig;
  readonly #clock: Clock;
  readonly #log: Logger;
  #sample: FeeSample | undefined;
  #priority: bigint;
  #historyAt = Number.NEGATIVE_INFINITY;
  readonly #dataFees: DataFees;

  constructor(gas: GasConfig, services: { clock: Clock; log: Logger }, providers?: Pick<Providers, 'read' | 'unread'>) {
    this.#gas = gas;
    this.#clock = services.clock;
    this.#log = services.log;
    this.#priority = gas.minPriorityFeePerGas;
    this.#dataFees = new DataFees(gas.dataFee, services, providers);
  }

  sample(): FeeSample | undefined {
    const sample = this.#sample;
    return sample === undefined || this.#clock.now() - sample.at > this.#gas.maxAgeMs ? undefined : sample;
  }

  terms(): FeeTerms | 'feeCap' | undefined {
    const sample = this.sample();
    if (sample === undefined) return undefined;
    if (sample.baseFee + sample.priorityFee > this.#gas.maxFeePerGas) return 'feeCap';
    const { maxFeePerGas, maxPriorityFeePerGas } = uncapped(sample);
    return { maxFeePerGas: min(maxFeePerGas, this.#gas.maxFeePerGas), maxPriorityFeePerGas };
  }

  bumped(previous: FeeTerms): FeeTerms | 'feeCap' | undefined {
    const current = this.terms();
    if (current === undefined || current === 'feeCap') return current;
    const cap = this.#gas.maxFeePerGas;
    const least = {
      fee: raise(previous.maxFeePerGas, MIN_BUMP),
      tip: raise(previous.maxPriorityFeePerGas, MIN_BUMP),
    };
    if (least.fee > cap || least.tip > cap) return 'feeCap';
    const maxFeePerGas = min(max(raise(previous.maxFeePerGas, this.#gas.bump), current.maxFeePerGas), cap);
    const tip = max(raise(previous.maxPriorityFeePerGas, this.#gas.bump), current.maxPriorityFeePerGas);
    return { maxFeePerGas, maxPriorityFeePerGas: min(tip, maxFeePerGas) };
  }

  dataFee(bytes: number): DataFee | undefined {
    return this.#dataFees.of(bytes);
  }

  onHead(head: Head): void {
    this.#dataFees.onHead(head);
    const baseFee = head.baseFee ?? 0n;
    this.#sample = { baseFee, priorityFee: this.#priority, at: this.#clock.now() };
    if (this.#clock.monotonic() - this.#historyAt < HISTORY_INTERVAL_MS) return;
    this.#historyAt = this.#clock.monotonic();
    void this.#refreshPriority(head.provider);
  }

  async #refreshPriority({ rpc }: Provider): Promise<void> {
    try {
      const tip = await medianTip(rpc).catch(async (error: unknown) => {
        if (!(error instanceof RpcError)) throw error;
        return BigInt(await rpc.request<string>('eth_maxPriorityFeePerGas'));
      });
      this.#priority = min(max(tip, this.#gas.minPriorityFeePerGas), this.#gas.maxPriorityFeePerGas);
      if (this.#sample !== undefined) this.#sample = { ...this.#sample, priorityFee: this.#priority };
    } catch (error) {
      if (error instanceof RpcError) this.#log.debug({ error: error.message }, 'tips cannot be read');
    }
  }
}

async function medianTip(rpc: HttpClient): Promise<bigint> {
  const params = ['0x5', 'latest', [50]];
  const history = await rpc.request<{ reward?: readonly (readonly string[])[] }>('eth_feeHistory', params);
  const tips = (history.reward ?? []).map(([tip]) => BigInt(tip ?? '0x0')).sort((a, b) => (a < b ? -1 : 1));
  return tips[Math.floor(tips.length / 2)] ?? 0n;
}

/**
 * Terms of a first attempt, ignoring caps. A recipient sees the gas price, so a trial without one proves nothing.
 * Undefined without a sample. No I/O.
 */
export function trialTerms(fees: FeeSource): FeeTerms | undefined {
  const terms = fees.terms();
  if (terms !== 'feeCap') return terms;
  const sample = fees.sample();
  return sample && uncapped(sample);
}

function uncapped({ baseFee, priorityFee }: FeeSample): FeeTerms {
  return { maxFeePerGas: baseFee * 2n + priorityFee, maxPriorityFeePerGas: priorityFee };
}

/** Rounded up, and by at least one wei. */
function raise(value: bigint, perMille: bigint): bigint {
  return max((value * perMille + 999n) / 1000n, value + 1n);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
