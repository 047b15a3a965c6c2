import { counter } from '../../../domain/accounts.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { Promised, PromisedRate } from './promised.js';

type Fixed = Promised & { readonly fixed: PromisedRate };

/** Rounding of what is told in dollars. */
const ROUNDED = 1n;
/** What may take a payment out of the block that it was decided in, and put it into a later one. */
const MOVERS = ['rpcContradiction', 'loneReorg', 'wallJump', 'droppedForks'];

/**
 * Fixed rates, judged by the chains and the answers that clients got.
 *
 * Invariants: whoever was in a block in time with all that was asked is paid what was promised, to the unit, or gets it back; no key, and
 * not all keys together, ever have more kept for what is not paid than was allowed; what was kept ends.
 */
export class RateJudge {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Somebody was promised a rate: what is kept for those who have not paid is within its bounds. */
  promised(promise: Promised): void {
    if (!isFixed(promise)) return;
    const most = this.#world.policy.fixedRate;
    const kept = [...this.#world.promises.values()].filter((one): one is Fixed => isFixed(one) && this.#isKept(one));
    const sum = (some: readonly Fixed[]): bigint => some.reduce((all, { fixed }) => all + fixed.value - ROUNDED, 0n);
    const own = kept.filter(({ fixed }) => fixed.key === promise.fixed.key);
    if (most === undefined) this.#say('fixed-for-nobody', `order ${promise.orderId}`);
    else if (sum(own) > most.maxHeldMicroUsdPerKey) this.#say('kept-too-much', `${sum(own)} for ${promise.fixed.key}`);
    else if (sum(kept) > most.maxHeldMicroUsd) this.#say('kept-too-much', `${sum(kept)} for all keys`);
  }

  /** It is in force, and nobody paid anything for it anywhere. */
  #isKept({ orderId, fixed }: Fixed): boolean {
    const { clock, watches, restored, faults } = this.#world;
    // What is over is told by the clock of the service, and what is paid also by a node that is alone.
    if (restored || MOVERS.some((kind) => faults.has(kind)) || fixed.until <= clock.trueNow) return false;
    return ![...watches.values()].some((watch) => watch.wasPaid(orderId));
  }

  /** The payment that a rate is kept for, where it is in a block in time and is the only one that was not paid back. */
  inTime(promise: Promised): FakeDeposit | undefined {
    if (!isFixed(promise)) return undefined;
    const origin = this.#world.watch(promise.originChainId);
    const kept = origin
      .depositsOf(promise.orderId)
      .filter((one) => one.currency === promise.currencyIn && !origin.paidBack(one.fundingKey, 'refund'));
    // What somebody else sent ahead may be too little to be paid back: it is no payment beside one that is whole.
    const whole = kept.filter(({ amount }) => amount >= promise.amountIn);
    const [only, ...others] = whole.length > 0 ? whole : kept;
    const isTold = only !== undefined && others.length === 0 && only.block.timestamp <= promise.fixed.until;
    return isTold ? only : undefined;
  }

  /** Once nothing is left to do. */
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

  /** What a counter of reserved inventory counts for rates that are kept still. */
  keptIn(account: string): bigint {
    let sum = 0n;
    for (const { state, chainId, signer, currency, amount } of this.#world.ledger.rows('earmarks'))
      if (state === 'kept' && counter.reserved(chainId, signer, currency) === account) sum += amount;
    return sum;
  }

  /** What is kept for nobody any more, by the clock of the service. */
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
