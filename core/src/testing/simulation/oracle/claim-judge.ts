import type { ChainId } from '../../../contract/ids.js';
import type { LegRow } from '../../../contract/store-rows.js';
import type { QuoteAsk } from '../../../quoting/ask.js';
import { fakeAddress } from '../../fake-chain/cheap-hash.js';
import type { FakeFill } from '../../fake-chain/fake-chain-types.js';
import type { ShopPlan } from '../scenario.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';

export const TILLS = ['till', 'safe', 'refusing till'] as const;

export function shopWallet({ id }: Pick<ShopPlan, 'id'>): string {
  return fakeAddress(`shop ${id}`);
}

export function tillOf({ id }: Pick<ShopPlan, 'id'>, purpose: (typeof TILLS)[number]): string {
  return fakeAddress(`shop ${id} ${purpose}`);
}

interface Judged extends Pick<World, 'findings' | 'foreign' | 'ledger' | 'promises' | 'restored' | 'watches'> {
  readonly payerSwapJudge: Pick<World['payerSwapJudge'], 'isExecuted'>;
}

/** A shop's entitlement in one currency of one chain. */
interface Account {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly wallet: string;
}

/**
 * Judges app-fee payments by the chains alone.
 *
 * Invariant: payments to a shop on a chain never exceed its part of deposits there for filled or executed orders,
 * except deposits that a reorg removed later, which no service can call back.
 */
export class ClaimJudge {
  readonly #world: Judged;
  readonly #shops: readonly ShopPlan[];
  readonly #walletOf: ReadonlyMap<string, string>;
  readonly #accepted = new Set<string>();
  /** Given up before the last restore: a claim that it lost may have been paid under the same id. */
  #endedBefore: ReadonlySet<string> = new Set();

  constructor(world: Judged, shops: readonly ShopPlan[]) {
    this.#world = world;
    this.#shops = shops;
    this.#walletOf = new Map(
      shops.flatMap((shop) => TILLS.map((till) => [tillOf(shop, till), shopWallet(shop)] as const)),
    );
  }

  feesOf(userId: number): Pick<QuoteAsk, 'appFees'> {
    const shop = this.#shops[userId % (this.#shops.length + 1)];
    return shop ? { appFees: [{ recipient: shopWallet(shop), fee: shop.feeBps }] } : {};
  }

  accepted(claimId: string): void {
    this.#accepted.add(claimId);
  }

  /** @param ledger as restored. */
  restored(ledger: Ledger): void {
    this.#endedBefore = new Set([...ledger.rows('legs')].filter(isGivenUp).map(({ id }) => id));
  }

  isClaimed(_watch: ChainWatch, { recipient }: FakeFill): boolean {
    return this.#walletOf.has(recipient);
  }

  judge(): void {
    if (this.#shops.length === 0) return;
    for (const [account, paid] of this.#paid()) {
      const { chainId, currency, wallet } = JSON.parse(account) as Account;
      const earned = this.#earned({ chainId, currency, wallet });
      if (paid > earned)
        this.#say('claimed-too-much', `${wallet} got ${paid} ${currency} on ${chainId} and earned ${earned}`);
    }
  }

  /** At the end: each accepted claim is paid, owed again or on hold. */
  judgeAll(): void {
    this.judge();
    const { ledger, watches, restored, foreign } = this.#world;
    // After a restore or foreign sends, a claim may stay on hold.
    const isDoubted = restored || foreign.size > 0;
    const claims = [...ledger.rows('legs')].filter(({ kind }) => kind === 'claim');
    /** Ids of paid claims: the id of an abandoned claim is reused by the wallet's next claim. */
    const done = new Set<string>();
    for (const { id, orderId, state } of claims) {
      if (state !== 'done' || orderId === null) continue;
      if (done.has(orderId)) this.#say('claim-doubled', `${id} is done under an id that another one was paid under`);
      done.add(orderId);
    }
    for (const leg of claims) {
      const fill = watches.get(leg.chainId)?.fills.get(leg.orderId ?? '');
      if (leg.state === 'done' && !fill) this.#say('claim-unpaid', `${leg.id} is done, and nothing was paid`);
      if (isGivenUp(leg) && fill && !done.has(leg.orderId ?? '') && !this.#wasPaidByLost(leg, fill))
        this.#say('claim-paid', `${leg.id} was given up, and ${fill.amount} was paid`);
      if (leg.state === 'held' && !isDoubted) this.#say('claim-held', `${leg.id} is held, and nothing was lost`);
    }
    if (!restored && this.#accepted.size > claims.length)
      this.#say('claim-forgotten', `${this.#accepted.size} claims were taken, and ${claims.length} are in the ledger`);
  }

  /** All that a claim signed that ended before the loss is in the ledger: other bytes were a lost claim's. */
  #wasPaidByLost({ id }: LegRow, { hash }: FakeFill): boolean {
    if (!this.#endedBefore.has(id)) return false;
    return [...this.#world.ledger.rows('attempts')].every((attempt) => attempt.hash !== hash);
  }

  #paid(): ReadonlyMap<string, bigint> {
    const paid = new Map<string, bigint>();
    for (const { chain, fills } of this.#world.watches.values()) {
      for (const { recipient, currency, amount } of fills.values()) {
        const wallet = this.#walletOf.get(recipient);
        if (wallet === undefined) continue;
        const account = JSON.stringify({ chainId: chain.id, currency, wallet } satisfies Account);
        paid.set(account, (paid.get(account) ?? 0n) + amount);
      }
    }
    return paid;
  }

  #earned({ chainId, currency, wallet }: Account): bigint {
    const { promises, watches } = this.#world;
    let earned = 0n;
    for (const promise of promises.values()) {
      const { originChainId, currencyIn, destinationChainId, orderId, appFees, swapIn } = promise;
      // If a swap paid in more than quoted, the surplus pays the same fee share.
      const amountIn = swapIn?.most ?? promise.amountIn;
      if (originChainId !== chainId || currencyIn !== currency) continue;
      const isFilled = watches.get(destinationChainId)?.fills.has(orderId) === true;
      if (!isFilled && !this.#world.payerSwapJudge.isExecuted(promise)) continue;
      for (const { recipient, bps } of appFees)
        if (recipient === wallet) earned += (amountIn * BigInt(bps)) / 10_000n + 1n;
    }
    return earned;
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}

function isGivenUp({ kind, state }: LegRow): boolean {
  return kind === 'claim' && (state === 'void' || state === 'closed');
}
