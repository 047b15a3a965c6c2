import type { ChainId } from '../../../contract/ids.js';
import type { FakeFee } from '../../fake-chain/fake-chain-types.js';
import type { History } from '../price-history.js';
import type { World } from '../world.js';
import { holdsOf } from './outcomes.js';
import type { Promised } from './promised.js';

const MICRO = 1_000_000n;
/** Quarters of a payment that an order may cost without return, for fee moves. */
const FAILED_ONCE = 1n;
/** The same with a hold: a failing refund is tried three times before an operator acts. */
const FAILED_WHILE_HELD = 16n;
const QUARTERS = 4n;
/** Work of a plain payment with its buffer. */
const PLAIN_WORK = 120n;
/** Above the base fee; replacement bids are the solver's choice. */
const TIP = 2n;
/** Allows for irregular blocks. */
const BLOCKS_OLD = 1.5;
/** From pricing a refund to its inclusion. */
const LANDING_MS = 30_000;

/** Cost of one order's transactions. Micro-USD times a million. */
export interface WorkDone {
  /** At the fees known when it was charged, with rent. */
  readonly worth: bigint;
  /** Rent that recipients can take out. */
  readonly rent: bigint;
  readonly bound: bigint;
}

/** Measures work on the chains at the lowest fees of its time. */
export class WorkMeter {
  readonly #world: World;
  readonly #fees: ReadonlyMap<ChainId, History>;
  readonly #byName = new Map<string, { readonly chainId: ChainId; readonly fee: FakeFee }[]>();

  constructor(world: World, fees: ReadonlyMap<ChainId, History>) {
    this.#world = world;
    this.#fees = fees;
    for (const chain of world.chains.values()) {
      for (const fee of chain.history().fees) {
        if (fee.signer !== chain.signer && fee.signer !== chain.sweeper) continue;
        for (const { name } of fee.carries)
          this.#byName.set(name, [...(this.#byName.get(name) ?? []), { chainId: chain.id, fee }]);
      }
    }
  }

  ofOrder(promise: Promised, { quotedAt }: { readonly quotedAt: number }): WorkDone {
    let worth = 0n;
    let rent = 0n;
    let bound = 0n;
    const failed = this.#isHeld(promise.orderId) ? FAILED_WHILE_HELD : FAILED_ONCE;
    const paid: readonly string[] = [promise.orderId, ...(promise.topUp ? [promise.topUp.id] : [])];
    const sweeps = this.#useKeys(promise.orderId, ['sweep']);
    const names = [...paid, ...sweeps, ...this.#useKeys(promise.orderId, ['refund', 'excess'])];
    for (const name of names) {
      for (const { chainId, fee } of this.#byName.get(name) ?? []) {
        const began = this.#world.clock.trueNow - this.#world.clock.monotonic();
        const landed = fee.block.timestamp - began;
        const charged =
          paid.includes(name) || sweeps.includes(name) ? this.#chargedAt(promise, quotedAt) : landed - LANDING_MS;
        // Known fees are those of the newest block.
        const known = Math.min(charged, landed) - BLOCKS_OLD * this.#world.spectator(chainId).facts.blockTimeMs;
        const lowest = BigInt(this.#fees.get(chainId)?.between(known, landed).least ?? 0);
        const shared = BigInt(fee.carries.length);
        const carried = fee.carries.find((one) => one.name === name);
        const own = carried?.rent ?? 0n;
        // Separately reported fills pay only their own work.
        const work = carried?.work ?? fee.work / shared;
        worth += this.#value(chainId, work * (lowest + TIP) + own);
        if (paid.includes(name)) rent += this.#value(chainId, own);
        const plain = this.#value(chainId, (PLAIN_WORK * failed * (lowest + TIP)) / QUARTERS);
        if (plain > bound) bound = plain;
      }
    }
    return { worth, rent, bound };
  }

  /** At the quote, or on repricing a late deposit. */
  #chargedAt(promise: Promised, quotedAt: number): number {
    const origin = this.#world.watch(promise.originChainId);
    const began = this.#world.clock.trueNow - this.#world.clock.monotonic();
    const { quoteValidityMs } = this.#world.spectator(promise.originChainId).facts;
    const came = origin.depositsOf(promise.orderId).map(({ block }) => block.timestamp - began);
    const late = came.filter((at) => at > quotedAt + quoteValidityMs);
    return late.length === came.length && late.length > 0 ? Math.min(...late) : quotedAt;
  }

  #isHeld(orderId: string): boolean {
    const { whole, excess } = holdsOf(this.#world.ledger);
    return [...this.#world.watches.values()].some((watch) =>
      watch.depositsOf(orderId).some(({ fundingKey }) => whole.has(fundingKey) || excess.has(fundingKey)),
    );
  }

  #useKeys(orderId: string, legs: readonly string[]): string[] {
    return [...this.#world.watches].flatMap(([chainId, watch]) =>
      watch
        .depositsOf(orderId)
        .flatMap(({ fundingKey }) => legs.map((leg) => this.#world.spectator(chainId).useKey(fundingKey, leg))),
    );
  }

  #value(chainId: ChainId, native: bigint): bigint {
    const { currency } = this.#world.spectator(chainId).facts;
    const { least } = this.#world.market.between(currency, 0, this.#world.clock.monotonic());
    return (native * BigInt(least) * MICRO) / 10n ** BigInt(currency.decimals);
  }
}
