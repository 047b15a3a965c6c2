import type { Aged, Alerts, Clock, Hex, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { encodeFunctionData, formatUnits } from 'viem/utils';
import { erc20Abi } from './abi.js';
import { asHex, isNative, NATIVE } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { revertData } from './reverts.js';
import { quantity } from './rpc/types.js';
import type { Head } from './watch/heads.js';

export async function readBalance(
  provider: Provider,
  account: string,
  currency: string,
  height?: number,
): Promise<bigint> {
  const at = height === undefined ? 'latest' : quantity(height);
  if (isNative(currency)) return BigInt(await provider.rpc.request<Hex>('eth_getBalance', [account, at]));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [asHex(account)] });
  const answer = await provider.rpc.request<Hex>('eth_call', [{ to: currency, data }, at]);
  if (answer.length < 66) throw new Error(`${currency} did not answer balanceOf`);
  return BigInt(answer.slice(0, 66));
}

const MIN_READ_INTERVAL_MS = 750;
const READING = 'balances of the lane';

/** A token may revert on `balanceOf`, which is not the provider's fault. */
function isOfProvider(error: unknown): boolean {
  return isTransportError(error) || (error instanceof RpcError && revertData(error) === undefined);
}

/** Balances of a lane's signer, refreshed on new heads. Raises an alert when native coin for gas runs low. */
export class LaneBalances {
  readonly #config: ChainConfig;
  readonly #providers: Providers;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #alerts: Alerts;
  readonly #signer: string;
  readonly #currencies: readonly string[];
  readonly #needsReserve: boolean;
  readonly #balances = new Map<string, Aged<bigint>>();
  #reading = false;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    config: ChainConfig,
    providers: Providers,
    signer: string,
    services: { clock: Clock; log: Logger; alerts: Alerts },
    currencies: readonly string[] = [...config.currencies.keys()],
    needsReserve = true,
  ) {
    this.#config = config;
    this.#providers = providers;
    this.#signer = signer;
    this.#currencies = currencies;
    this.#needsReserve = needsReserve;
    this.#clock = services.clock;
    this.#log = services.log;
    this.#alerts = services.alerts;
  }

  get(signer: string, currency: string): Aged<bigint> | undefined {
    return signer === this.#signer ? this.#balances.get(currency) : undefined;
  }

  onHead(head: Head): void {
    if (this.#reading || this.#clock.monotonic() - this.#readAt < MIN_READ_INTERVAL_MS) return;
    void this.refresh(head.provider);
  }

  /** Never rejects: the age of a stale balance is visible. */
  async refresh(provider: Provider): Promise<void> {
    this.#reading = true;
    this.#readAt = this.#clock.monotonic();
    try {
      const currencies = this.#currencies;
      const read = await Promise.allSettled(
        currencies.map((currency) => readBalance(provider, this.#signer, currency)),
      );
      read.forEach((result, n) => {
        const currency = currencies[n] ?? NATIVE;
        if (result.status === 'fulfilled') this.#balances.set(currency, { value: result.value, at: this.#clock.now() });
        else if (!isTransportError(result.reason))
          this.#log.warn({ currency, error: String(result.reason) }, 'cannot read a balance');
      });
      const failed = read.find((one) => one.status === 'rejected' && isOfProvider(one.reason));
      if (failed?.status === 'rejected') this.#providers.unread(READING, provider, failed.reason);
      else this.#providers.read(READING, provider);
      this.#judgeGas();
    } finally {
      this.#reading = false;
    }
  }

  #judgeGas(): void {
    const { facts, gasReserve } = this.#config;
    const native = this.#balances.get(NATIVE);
    if (native === undefined || !this.#needsReserve) return;
    const id = `gas-${facts.id}-${this.#signer}`;
    if (native.value >= gasReserve) return this.#alerts.clear(id);
    const { symbol, decimals } = facts.currency;
    const message = `${this.#signer} on ${facts.displayName} holds ${formatUnits(native.value, decimals)} ${symbol}, less than its gas reserve of ${formatUnits(gasReserve, decimals)}`;
    this.#alerts.raise(id, message, { chainId: facts.id, signer: this.#signer });
  }
}
