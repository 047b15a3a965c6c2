import type { ChainId } from '../../../contract/ids.js';
import type { FakeFee } from '../../fake-chain/fake-chain-types.js';
import type { History } from '../price-history.js';
import type { World } from '../world.js';
import { holdsOf } from './outcomes.js';
import type { Promised } from './promised.js';

const MICRO = 1_000_000n;
/** Quarters of a payment that an order may cost in vain: fees are charged as they are known, and move a little. */
const IN_VAIN = 1n;
/** The same where something is held: a payment back that fails is tried thrice before somebody looks at it. */
const IN_VAIN_HELD = 16n;
const QUARTERS = 4n;
/** Work of a plain payment with what is charged on top of it. */
const PLAIN_WORK = 120n;
/** On top of the base fee; bids that took the place of earlier ones are the solver's own choice. */
const TIP = 2n;
/** Blocks come when they come. */
const BLOCKS_OLD = 1.5;
/** From pricing a payment back to its landing. */
const LANDING_MS = 30_000;

/** What the solver's transactions for one order cost. Micro-USD times a million. */
export interface WorkDone {
  /** At the fees that it could know when it charged for them, rent included. */
  readonly worth: bigint;
  /** What accounts lock up that it opened: whoever owns one may take that out. */
  readonly rent: bigint;
  /** Most that they may cost beyond what was charged. */
  readonly bound: bigint;
}

/** Measures work by what the chains say was done, at the lowest fees of the time: fees that rise later are nobody's doing. */
export class WorkMeter {
  readonly #world: World;
  readonly #fees: ReadonlyMap<ChainId, History>;
  /** By what a transaction was to do. */
  readonly #byName = new Map<string, { readonly chainId: ChainId; readonly fee: FakeFee }[]>();

  constructor(world: World, fees: ReadonlyMap<ChainId, History>) {
    this.#world = world;
    this.#fees = fees;
    for (const chain of world.chains.values()) {
      for (const fee of chain.history().fees) {
        if (fee.signer !== chain.signer) continue;
        for (const { name } of fee.carries)
          this.#byName.set(name, [...(this.#byName.get(name) ?? []), { chainId: chain.id, fee }]);
      }
    }
  }

  ofOrder(promise: Promised, { quotedAt }: { readonly quotedAt: number }): WorkDone {
    let worth = 0n;
    let rent = 0n;
    let bound = 0n;
    const inVain = this.#isHeld(promise.orderId) ? IN_VAIN_HELD : IN_VAIN;
    const paid: readonly string[] = [promise.orderId, ...(promise.topUp ? [promise.topUp.id] : [])];
    const names = [...paid, ...this.#useKeys(promise.orderId)];
    for (const name of names) {
      for (const { chainId, fee } of this.#byName.get(name) ?? []) {
        const began = this.#world.clock.trueNow - this.#world.clock.monotonic();
        const landed = fee.block.timestamp - began;
        const charged = paid.includes(name) ? this.#chargedAt(promise, quotedAt) : landed - LANDING_MS;
        // What it knows of fees is that of the newest block.
        const known = Math.min(charged, landed) - BLOCKS_OLD * this.#world.spectator(chainId).facts.blockTimeMs;
        const lowest = BigInt(this.#fees.get(chainId)?.between(known, landed).least ?? 0);
        const shared = BigInt(fee.carries.length);
        const carried = fee.carries.find((one) => one.name === name);
        const own = carried?.rent ?? 0n;
        // Where each is told of by itself, nobody pays for what another one burns.
        const work = carried?.work ?? fee.work / shared;
        worth += this.#value(chainId, work * (lowest + TIP) + own);
        if (paid.includes(name)) rent += this.#value(chainId, own);
        const plain = this.#value(chainId, (PLAIN_WORK * inVain * (lowest + TIP)) / QUARTERS);
        if (plain > bound) bound = plain;
      }
    }
    return { worth, rent, bound };
  }

  /** When the work of a fill was charged for: with the quote, or anew where its deposit came late. */
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

  #useKeys(orderId: string): string[] {
    return [...this.#world.watches].flatMap(([chainId, watch]) =>
      watch
        .depositsOf(orderId)
        .flatMap(({ fundingKey }) =>
          ['refund', 'excess'].map((leg) => this.#world.spectator(chainId).useKey(fundingKey, leg)),
        ),
    );
  }

  #value(chainId: ChainId, native: bigint): bigint {
    const { currency } = this.#world.spectator(chainId).facts;
    const { least } = this.#world.market.between(currency, 0, this.#world.clock.monotonic());
    return (native * BigInt(least) * MICRO) / 10n ** BigInt(currency.decimals);
  }
}
