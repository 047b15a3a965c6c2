import type { ChangeSet } from '../../../contract/store.js';
import type { FakeFill } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';
import { holdsOf } from './outcomes.js';
import type { Promised, PromisedTopUp } from './promised.js';
import { isBeyondRepair, OPEN } from './quiescence.js';

type WithTopUp = Promised & { readonly topUp: PromisedTopUp };

/** Final states without a payment. */
const GIVEN_UP: ReadonlySet<string> = new Set(['held', 'void', 'closed']);

/**
 * Judges gas top-ups by the chains.
 *
 * Invariants: a top-up pays its promised recipient within the promise, once and never before the output; its part of
 * the deposit either pays for it or is refunded, never both; and until one of the two happened the request is no
 * success.
 */
export class TopUpJudge {
  readonly #world: World;
  readonly #promises = new Map<string, WithTopUp>();

  constructor(world: World) {
    this.#world = world;
  }

  promised(promise: Promised): void {
    if (hasTopUp(promise)) this.#promises.set(promise.topUp.id, promise);
  }

  orderOf(id: string): string | undefined {
    return this.#promises.get(id)?.orderId;
  }

  /** Judges a fill of no order. False where it is no top-up either. */
  isTopUp(watch: ChainWatch, { orderId: id, currency, recipient, amount }: FakeFill): boolean {
    const promise = this.#promises.get(id);
    if (promise === undefined) return false;
    const say = (what: string) => this.#say('top-up-off-promise', `top-up of ${promise.orderId}: ${what}`);
    const { topUp, destinationChainId } = promise;
    if (watch.chain.id !== destinationChainId) say(`on chain ${watch.chain.id}`);
    if (currency !== topUp.currency) say(`in ${currency}`);
    if (recipient !== promise.recipient) say(`to ${recipient}`);
    if (amount > topUp.most || amount < topUp.least) say(`${amount} of ${topUp.least} to ${topUp.most}`);
    if (!watch.wasFilled(promise.orderId))
      this.#say('top-up-first', `top-up of ${promise.orderId} came before its output`);
    return true;
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    for (const change of changes) {
      if (change.op !== 'update' || change.table !== 'requests' || change.set.status !== 'success') continue;
      const request = ledger.row('requests', change.key.id);
      const promise = request && this.#world.promises.get(request.orderId);
      if (!promise || !hasTopUp(promise) || request.parentRequestId !== null) continue;
      // The branch of a provider that is alone may have the payment before the chain has it.
      if (this.#world.divided.has(promise.destinationChainId)) continue;
      const leg = ledger.row('legs', `topup:${promise.orderId}`);
      const isOver = leg !== undefined && GIVEN_UP.has(leg.state);
      if (!isOver && !this.#world.watch(promise.destinationChainId).wasFilled(promise.topUp.id))
        this.#say('success-before-top-up', `order ${promise.orderId}, whose coin is ${leg?.state}`);
    }
  }

  judgeAll(): void {
    const { whole, excess, topUps } = holdsOf(this.#world.ledger);
    for (const promise of this.#promises.values()) {
      const { orderId, topUp, destinationChainId, originChainId } = promise;
      const origin = this.#world.watch(originChainId);
      // No service can call it back after a later reorg.
      if (origin.lost(orderId)) continue;
      const { fills } = this.#world.watch(destinationChainId);
      const deposits = origin.depositsOf(orderId).filter(({ currency }) => currency === promise.currencyIn);
      const back = deposits.some((deposit) => isPartBack(origin, promise, deposit));
      const isHeld = deposits.some(({ fundingKey }) => [whole, excess, topUps].some((holds) => holds.has(fundingKey)));
      const kept = deposits.filter(({ fundingKey }) => origin.refundOf(fundingKey, 'refund') === undefined);
      if (!fills.has(topUp.id)) {
        const isStranded = kept.some((deposit) => this.#world.addresses.isStranded(deposit, origin));
        const isOwed = back || isHeld || isStranded || this.#isStuck(kept.map(({ fundingKey }) => fundingKey));
        if (fills.has(orderId) && kept.length > 0 && !isOwed) this.#say('top-up-withheld', `order ${orderId} got none`);
        if (back) this.#world.seen('part of top-up refunded');
        continue;
      }
      this.#world.seen('top-up after output');
      if (back) this.#say('top-up-and-part', `order ${orderId} got both`);
      if (kept.length > 0) continue;
      const withheld = deposits.reduce((sum, { amount, fundingKey }) => {
        const refund = origin.refundOf(fundingKey, 'refund')?.amount ?? 0n;
        return sum + amount - refund - (origin.refundOf(fundingKey, 'excess')?.amount ?? 0n);
      }, 0n);
      if (withheld < topUp.value)
        this.#say(
          'top-up-and-refund',
          `order ${orderId} got coin for ${topUp.value}, of which ${withheld} was withheld`,
        );
    }
  }

  /** A restored database may have emptied the depository for its refunds. */
  #isStuck(fundingKeys: readonly string[]): boolean {
    return fundingKeys.some((key) => {
      const leg = this.#world.ledger.row('legs', `excess:${key}`);
      return leg !== undefined && OPEN.has(leg.state) && isBeyondRepair(this.#world, leg);
    });
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}

function hasTopUp(promise: Promised): promise is WithTopUp {
  return promise.topUp !== undefined;
}

/** More was refunded than the surplus. */
export function isPartBack(
  origin: ChainWatch,
  { amountIn }: Pick<Promised, 'amountIn'>,
  { fundingKey, amount }: { readonly fundingKey: string; readonly amount: bigint },
): boolean {
  const beyond = amount > amountIn ? amount - amountIn : 0n;
  return (origin.refundOf(fundingKey, 'excess')?.amount ?? 0n) > beyond;
}
