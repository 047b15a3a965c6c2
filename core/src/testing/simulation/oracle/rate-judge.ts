import { counter } from '../../../domain/accounts.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { Promised, PromisedRate } from './promised.js';

type Fixed = Promised & { readonly fixed: PromisedRate };

const ROUNDED = 1n;
/** Faults that can move a payment to a later block. */
const MOVERS = ['rpcContradiction', 'loneReorg', 'wallJump', 'droppedForks'];

/**
 * Judges fixed rates by chains and clients' answers.
 *
 * Invariants: a complete payment in a block in time gets exactly the promise or is refunded; open promises never exceed
 * the limits per key and in total; reservations end.
 */
export class RateJudge {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  promised(promise: Promised): void {
    if (!isFixed(promise)) return;
    const most = this.#world.policy.fixedRate;
    const kept = [...this.#world.promises.values()].filter((one): one is Fixed => isFixed(one) && this.#isKept(one));
    const sum = (some: readonly Fixed[]): bigint => some.reduce((all, { fixed }) => all + fixed.value - ROUNDED, 0n);
    const own = kept.filter(({ fixed }) => fixed.key === promise.fixed.key);
    if (most === undefined) this.#say('fixed-without-key', `order ${promise.orderId}`);
    else if (sum(own) > most.maxHeldMicroUsdPerKey) this.#say('kept-too-much', `${sum(own)} for ${promise.fixed.key}`);
    else if (sum(kept) > most.maxHeldMicroUsd) this.#say('kept-too-much', `${sum(kept)} for all keys`);
  }

  /** In force and unpaid everywhere. */
  #isKept({ orderId, fixed }: Fixed): boolean {
    const { clock, watches, restored, faults } = this.#world;
    // Expiry depends on the service's clock, and payment on possibly forked nodes.
    if (restored || MOVERS.some((kind) => faults.has(kind)) || fixed.until <= clock.trueNow) return false;
    return ![...watches.values()].some((watch) => watch.wasPaid(orderId));
  }

  /** The timely payment of a fixed rate, if it is the only one not refunded. */
  inTime(promise: Promised): FakeDeposit | undefined {
    if (!isFixed(promise)) return undefined;
    const origin = this.#world.watch(promise.originChainId);
    const kept = origin
      .depositsOf(promise.orderId)
      .filter((one) => one.currency === promise.currencyIn && !origin.refundOf(one.fundingKey, 'refund'));
    // A foreign dust payment, too small for a refund, does not compete with a complete one.
    const whole = kept.filter(({ amount }) => amount >= promise.amountIn);
    const [only, ...others] = whole.length > 0 ? whole : kept;
    const isReported = only !== undefined && others.length === 0 && only.block.timestamp <= promise.fixed.until;
    return isReported ? only : undefined;
  }

  judgeAll(): void {
    const { promises, watches, restored, faults } = this.#world;
    for (const promise of promises.values()) {
      const deposit = this.inTime(promise);
      const fill = watches.get(promise.destinationChainId)?.fills.get(promise.orderId);
      const { chain } = this.#world.watch(promise.originChainId);
      const isMoved = restored || chain.history().reorgs > 0 || MOVERS.some((kind) => faults.has(kind));
      if (deposit === undefined || fill === undefined || deposit.amount < promise.amountIn || isMoved) continue;
      this.#world.seen('rate kept');
      if (fill.amount !== promise.expectedOut)
        this.#say('rate-broken', `order ${promise.orderId} got ${fill.amount} of ${promise.expectedOut}`);
    }
    let kept = 0n;
    for (const { state, value } of this.#world.ledger.rows('earmarks')) if (state === 'kept') kept += value;
    const counted = this.#world.ledger.pots.get(counter.earmarked) ?? 0n;
    if (kept !== counted) this.#say('kept-for-nothing', `${counted} are counted, and ${kept} are kept`);
  }

  keptIn(account: string): bigint {
    let sum = 0n;
    for (const { state, chainId, signer, currency, amount } of this.#world.ledger.rows('earmarks'))
      if (state === 'kept' && counter.reserved(chainId, signer, currency) === account) sum += amount;
    return sum;
  }

  /** Reservations past their expiry, by the service's clock. */
  overdue(): readonly string[] {
    const now = Math.min(...this.#world.running.map(({ life }) => life.clock.now()));
    return [...this.#world.ledger.rows('earmarks')].flatMap(({ id, state, expiresAt }) =>
      state === 'kept' && expiresAt < now ? [id] : [],
    );
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}

function isFixed(promise: Promised): promise is Fixed {
  return promise.fixed !== undefined;
}
