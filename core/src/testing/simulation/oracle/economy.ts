import type { ChainId } from '../../../contract/ids.js';
import type { ChangeSet } from '../../../contract/store.js';
import type { FakeChain, FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import { POOL_SIDES, POOL_TOKEN } from '../draw-scenario.js';
import { History } from '../price-history.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import { isPartBack } from './coin-judge.js';
import type { Ledger } from './ledger.js';
import { givenBy, mostIn, type Promised } from './promised.js';
import { WorkMeter } from './work-meter.js';

/** Micro-USD times a million: what an amount is worth, without rounding it away. */
type Worth = bigint;

/** From reading a price to the commit that signs a fill at it, whatever the database is like. */
const SIGNING_MS = 8_000;
/** The same where a process is stopped in between: what it had decided is written when it goes on. */
const STOPPED_MS = 25_000;
/** The same where nothing fails. */
const QUIET_MS = 1_000;
/** Prices of one asset from two sources differ by as much without anything having happened. */
const SAME_ASSET_BPS = 10n;
/** An honest user who paid is served within this after its deposit may be acted upon, whatever attackers do. */
const SERVED_MS = 45_000;

/** What is known of one order besides its promise. */
interface Course {
  /** Virtual milliseconds. */
  readonly quotedAt: number;
  paidAt?: number;
  signedAt?: number;
  /** When coin beside it was. */
  coinAt?: number;
  /** When it was known to be in vain. */
  closedAt?: number;
}

/**
 * Who ended richer. Judged by the canonical chains and by what prices were told at the time, never by the books of the service.
 *
 * Invariants: (a) no fill was signed at a loss at the prices of its time; where nothing fails, no order costs the solver more
 * than it brings, up to the work of a few payments; (b) all orders of those who mean harm together bring the solver no loss;
 * (c) where nothing fails, whoever pays honestly is served in time; (d) is judged where withdrawals are: nobody is paid from
 * another's deposit.
 */
export class Economy {
  readonly #world: World;
  readonly #courses = new Map<string, Course>();
  readonly #fees = new Map<ChainId, History>();
  readonly #refused = new Map<string, { readonly microUsd: number; readonly at: number }>();
  /** Groups whose price somebody moved, with when. */
  readonly #moved = new Map<string, number[]>();
  /** When what pools hold changed, by chain. */
  readonly #pools = new Map<ChainId, { readonly seen: string; readonly at: number[] }>();
  /** When fees rose many times over, by chain. */
  readonly #dear = new Map<ChainId, number[]>();

  constructor(world: World) {
    this.#world = world;
  }

  promised(orderId: string): void {
    this.#courses.set(orderId, { quotedAt: this.#now });
  }

  /** Somebody honest paid exactly what was asked. */
  paid(orderId: string): void {
    const course = this.#courses.get(orderId);
    if (course) course.paidAt = this.#now;
  }

  /** Somebody honest was given no quote, for an amount that is worth so many micro-USD. */
  refused(who: string, microUsd: number): void {
    this.#refused.set(who, { microUsd, at: this.#now });
  }

  dear(chainId: ChainId): void {
    this.#dear.set(chainId, [...(this.#dear.get(chainId) ?? []), this.#now]);
  }

  moved(group: string): void {
    this.#moved.set(group, [...(this.#moved.get(group) ?? []), this.#now]);
  }

  /** Notes what work costs now. */
  look(): void {
    for (const { id, baseFee } of this.#world.chains.values()) {
      const history = this.#fees.get(id) ?? new History();
      history.note(this.#now, Number(baseFee));
      this.#fees.set(id, history);
    }
    if (this.#world.swaps) for (const chain of this.#world.chains.values()) this.#lookAtPools(chain);
  }

  #lookAtPools(chain: FakeChain): void {
    if (chain.profile !== 'nonce') return;
    const { seen, at } = this.#pools.get(chain.id) ?? { seen: '', at: [] };
    if (seen.startsWith(chain.history().head.id)) return;
    const held = POOL_SIDES.map((symbol) => chain.reserves(chain.currencyOf(symbol), chain.currencyOf(POOL_TOKEN)));
    const now = held.map(({ input, output }) => `${input}/${output}`).join();
    if (!seen.endsWith(` ${now}`)) at.push(this.#now);
    this.#pools.set(chain.id, { seen: `${chain.history().head.id} ${now}`, at });
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    for (const change of changes) {
      if (change.op !== 'update' || change.table !== 'legs') continue;
      const { state } = change.set;
      if (state !== 'bound' && state !== 'closed') continue;
      const leg = ledger.row('legs', change.key.id);
      if (leg?.kind === 'topUp' && state === 'bound') this.#signedCoin(leg.orderId ?? '');
      const course = leg?.kind === 'fill' && leg.orderId !== null ? this.#courses.get(leg.orderId) : undefined;
      if (course) course[state === 'bound' ? 'signedAt' : 'closedAt'] = this.#now;
    }
  }

  #signedCoin(id: string): void {
    const course = this.#courses.get(this.#world.coins.orderOf(id) ?? '');
    if (course) course.coinAt = this.#now;
  }

  /** A transfer that no service has to look after: of a token that nobody serves, or worth next to nothing to nobody's order. */
  mayBeIgnored(deposit: FakeDeposit, { chain }: ChainWatch): boolean {
    const currency = this.#world.spectator(chain.id).currency(deposit.currency);
    if (!currency) return true;
    const { least } = this.#world.market.between(currency, 0, this.#now);
    const floor = this.#world.policy.limits.dustMicroUsd;
    return deposit.amount * BigInt(least) < floor * 10n ** BigInt(currency.decimals);
  }

  /** What of a currency came into a depository that may have been ignored, and what taking it cost, which may be booked twice. */
  ignored(chainId: ChainId, currency: string): bigint {
    const watch = this.#world.watch(chainId);
    const isNative = currency === this.#world.spectator(chainId).facts.currency.address;
    return [...watch.deposits.values()]
      .filter((deposit) => this.mayBeIgnored(deposit, watch))
      .reduce((sum, { amount, cost = 0n, ...deposit }) => {
        const came = deposit.currency === currency ? amount : 0n;
        return sum + came + (isNative ? cost : 0n);
      }, 0n);
  }

  /** Once nothing is left to do. */
  judge(): void {
    const meter = new WorkMeter(this.#world, this.#fees);
    let harmful: Worth = 0n;
    for (const promise of this.#world.promises.values()) {
      const course = this.#courses.get(promise.orderId);
      const origin = this.#world.watches.get(promise.originChainId);
      if (!course || !origin || origin.lost(promise.orderId)) continue;
      const traded = this.#traded(promise, course) + this.#coin(promise, course);
      if (!this.#isQuiet) continue;
      const kept = this.#kept(promise);
      const work = meter.ofOrder(promise, course);
      const faded = this.#faded(promise, course);
      const gain = traded + kept + faded - work.worth;
      if (gain < -work.bound)
        this.#say('order-at-a-loss', `order ${promise.orderId} cost ${-gain} more than it brought, of ${work.bound}`);
      if (this.#isHarmful(promise)) harmful += traded + kept + faded - work.rent;
      else if (course.paidAt !== undefined) this.#served(promise, course);
    }
    if (this.#isQuiet) this.#quoted();
    if (this.#isQuiet && harmful < 0n) this.#say('coalition-richer', `those who mean harm gained ${-harmful}`);
  }

  get #now(): number {
    return this.#world.clock.monotonic();
  }

  /** Nothing failed in this run, so that all that attackers cost is their own doing. */
  get #isQuiet(): boolean {
    return this.#world.faults.size === 0 && !this.#world.restored;
  }

  /** From reading prices to the commit that signs at them. */
  get #signingMs(): number {
    return this.#isQuiet ? QUIET_MS : this.#isStopped ? STOPPED_MS : SIGNING_MS;
  }

  get #isStopped(): boolean {
    return ['pause', 'twins'].some((kind) => this.#world.faults.has(kind));
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }

  #isHarmful({ recipient }: Promised): boolean {
    return this.#world.coalition.has(recipient);
  }

  /** What a fill brought, at the prices that were told when it was signed. Never less than nothing. */
  #traded(promise: Promised, { signedAt }: Course): Worth {
    const fill = this.#world.watches.get(promise.destinationChainId)?.fills.get(promise.orderId);
    const covers = fill && this.#coveredBy(promise);
    if (!fill || covers === undefined || signedAt === undefined) return 0n;
    const [paid, got] = [promise.currencyIn, givenBy(promise).currency];
    const [from, to] = this.#pricedAt(promise, signedAt);
    const income = this.#worth(promise.originChainId, paid, covers - coinValue(promise), from, to).most;
    const outgo = this.#worth(promise.destinationChainId, got, fill.amount, from, to).least;
    const same = this.#groupOf(promise.originChainId, paid) === this.#groupOf(promise.destinationChainId, got);
    const tolerance = same ? (income * SAME_ASSET_BPS) / 10_000n : 0n;
    const unit = this.#worth(promise.destinationChainId, got, 1n, 0, this.#now).most + 1n;
    if (outgo > income + tolerance + unit)
      this.#say('sold-below-cost', `fill of ${promise.orderId} was worth ${outgo}, and its deposit ${income}`);
    return income - outgo;
  }

  /**
   * When the prices were told that a fill was made at: with its signature, or with the quote where that fixed its rate. What the market
   * does in between is the option that the fee of a fixed rate is taken for, on no more than is kept at one time.
   */
  #pricedAt(promise: Promised, signedAt: number): readonly [from: number, to: number] {
    const usual = [signedAt - this.#signingMs, signedAt] as const;
    if (promise.fixed === undefined) return usual;
    const quotedAt = this.#courses.get(promise.orderId)?.quotedAt ?? signedAt;
    // Where a payment may have been moved to another block, either may be.
    if (!this.#isQuiet) return [quotedAt - this.#signingMs, signedAt];
    return this.#world.rates.inTime(promise) ? [quotedAt - this.#signingMs, quotedAt] : usual;
  }

  /** What coin beside an output brought, as that. */
  #coin(promise: Promised, { coinAt, quotedAt }: Course): Worth {
    const { topUp, orderId, originChainId, currencyIn, destinationChainId } = promise;
    const coin = topUp && this.#world.watches.get(destinationChainId)?.fills.get(topUp.id);
    if (!coin || coinAt === undefined) return 0n;
    const from = coinAt - this.#signingMs;
    const outgo = this.#worth(destinationChainId, topUp.currency, coin.amount, from, coinAt).least;
    const part = this.#worth(originChainId, currencyIn, topUp.part, from, coinAt).most;
    // A late payment is priced anew, and so is what of it buys the coin.
    if (outgo > part && !this.#isLate(promise, quotedAt))
      this.#say('coin-below-cost', `coin of ${orderId} was worth ${outgo}, and its part ${part}`);
    // Where the deposit went back, what was withheld of it is counted there.
    const isFilled = this.#world.watches.get(destinationChainId)?.fills.has(orderId);
    const income = isFilled ? this.#worth(originChainId, currencyIn, topUp.value, from, coinAt).most : 0n;
    return income - outgo;
  }

  /** Some payment came when the quote was over, or nobody can tell by what clock. */
  #isLate({ originChainId, orderId }: Promised, quotedAt: number): boolean {
    const { clock } = this.#world;
    const until =
      quotedAt + this.#world.spectator(originChainId).facts.quoteValidityMs + clock.trueNow - clock.monotonic();
    const deposits = this.#world.watch(originChainId).depositsOf(orderId);
    return this.#world.faults.has('wallJump') || deposits.some(({ block }) => block.timestamp > until);
  }

  /** What the charges of an order, which are taken in its input currency, lost with that before it was signed. */
  #faded(promise: Promised, { quotedAt, signedAt }: Course): Worth {
    if (signedAt === undefined) return 0n;
    const { originChainId, currencyIn, amountIn, destinationChainId } = promise;
    const { currency, most } = givenBy(promise);
    const before = this.#worth(originChainId, currencyIn, amountIn, quotedAt, quotedAt).most;
    const [from, to] = this.#pricedAt(promise, signedAt);
    const after = this.#worth(originChainId, currencyIn, amountIn, from, to).least;
    const coin = promise.topUp
      ? this.#worth(originChainId, currencyIn, promise.topUp.value, quotedAt, quotedAt).least
      : 0n;
    const charged = before - this.#worth(destinationChainId, currency, most, quotedAt, quotedAt).least - coin;
    return after < before && charged > 0n ? (charged * (before - after)) / before : 0n;
  }

  /** Input that the solver kept for a fill. */
  #coveredBy(promise: Promised): bigint | undefined {
    const origin = this.#world.watch(promise.originChainId);
    const candidates = origin
      .depositsOf(promise.orderId)
      .filter((one) => one.currency === promise.currencyIn && !origin.paidBack(one.fundingKey, 'refund'))
      .map(({ amount }) => (amount < mostIn(promise) ? amount : mostIn(promise)));
    return candidates.sort((a, b) => (a > b ? -1 : 1))[0];
  }

  /** What was withheld of everything that was paid back under an order, on whatever chain. */
  #kept(promise: Promised): Worth {
    const { orderId } = promise;
    const amountIn = mostIn(promise);
    let sum: Worth = 0n;
    for (const watch of this.#world.watches.values()) {
      for (const { fundingKey, amount, currency } of watch.depositsOf(orderId)) {
        const refund = watch.paidBack(fundingKey, 'refund');
        const excess = watch.paidBack(fundingKey, 'excess');
        const beyond = amount > amountIn ? amount - amountIn : 0n;
        // What coin takes is no income of its output.
        const part = !refund && isPartBack(watch, promise, { fundingKey, amount }) ? coinValue(promise) : 0n;
        const back = (refund?.amount ?? 0n) + (excess?.amount ?? 0n);
        const withheld = refund ? amount - back : excess ? beyond + part - back : 0n;
        const worth = this.#worth(watch.chain.id, currency, withheld, 0, this.#now);
        sum += withheld < 0n ? worth.least : worth.most;
      }
    }
    return sum;
  }

  /** Whoever asked honestly was refused for no more than what was really filled that day, or was being filled then. */
  #quoted(): void {
    for (const [who, { microUsd, at }] of this.#refused)
      if (!this.#isSoldOut(BigInt(microUsd) * 2n, at, at))
        this.#say('honest-refused', `${who} got no quote for ${microUsd}`);
  }

  /**
   * What was really filled, or was being filled at some time from then to then, leaves no room for this much more, micro-USD:
   * whoever used it up paid for it, or had as much of their own at stake.
   */
  #isSoldOut(microUsd: bigint, from: number, to: number): boolean {
    const most = this.#world.policy.limits.maxDailyMicroUsd;
    if (most === null) return false;
    let filled = 0n;
    for (const { currencyIn, amountIn, originChainId, destinationChainId, orderId } of this.#world.promises.values()) {
      const { signedAt = Number.POSITIVE_INFINITY, closedAt = Number.POSITIVE_INFINITY } =
        this.#courses.get(orderId) ?? {};
      const inFlight = signedAt <= to && closedAt >= from;
      if (inFlight || this.#world.watches.get(destinationChainId)?.fills.has(orderId))
        filled += this.#worth(originChainId, currencyIn, amountIn, 0, this.#now).most / MICRO;
    }
    return filled + microUsd >= most;
  }

  #served(promise: Promised, { paidAt = 0 }: Course): void {
    const { promises, watches, clock } = this.#world;
    const origin = this.#world.spectator(promise.originChainId).facts;
    const fill = watches.get(promise.destinationChainId)?.fills.get(promise.orderId);
    const say = (what: string) => this.#say('honest-waited', `order ${promise.orderId}, paid at ${paidAt}, ${what}`);
    if (!promises.has(promise.orderId)) return;
    if (!fill) {
      if (!this.#mayBeRefused(promise, paidAt)) say('was not filled');
      return;
    }
    const began = clock.trueNow - clock.monotonic();
    const waited = fill.block.timestamp - began - paidAt;
    if (waited > SERVED_MS + origin.finalityMs) say(`was filled after ${waited} ms`);
  }

  /**
   * All that may be filled that day was, or the price of what it asked for moved, which nobody promised anything against, or
   * filling became so dear that what may be spent on it does not get it into a block, or the order ends before it must be served.
   */
  #mayBeRefused(promise: Promised, paidAt: number): boolean {
    const { originChainId, currencyIn, amountIn } = promise;
    const quotedAt = this.#courses.get(promise.orderId)?.quotedAt ?? paidAt;
    const since = (at: number): boolean => at >= quotedAt && at <= paidAt + SERVED_MS;
    if (this.#lastSigning(promise) < paidAt + SERVED_MS + this.#world.spectator(originChainId).facts.finalityMs)
      return true;
    // Whoever pays the fees of a pool may move it, and nobody promised anything against that.
    if (promise.swapIn !== undefined && this.#pools.get(originChainId)?.at.some(since)) return true;
    if (promise.swap !== undefined && this.#pools.get(promise.destinationChainId)?.at.some(since)) return true;
    const doubled = this.#worth(originChainId, currencyIn, amountIn * 2n, 0, this.#now).most / MICRO;
    if (this.#isSoldOut(doubled, paidAt, paidAt + SERVED_MS)) return true;
    if (this.#dear.get(promise.destinationChainId)?.some(since)) return true;
    const { topUp } = promise;
    const given = [givenBy(promise).currency, ...(topUp?.isNeeded ? [topUp.currency] : [])];
    const groups = new Set([
      this.#groupOf(promise.originChainId, promise.currencyIn),
      ...given.map((currency) => this.#groupOf(promise.destinationChainId, currency)),
    ]);
    if (groups.size === 1) return false;
    // A rate that is fixed is kept, whatever prices do.
    if (this.#world.rates.inTime(promise)) return false;
    return [...groups].some((group) => this.#moved.get(group)?.some(since));
  }

  /** When the last fill of an order may be signed, on the clock of the run. */
  #lastSigning({ destinationChainId, deadline }: Promised): number {
    const { clock, policy } = this.#world;
    const { finalityMs } = this.#world.spectator(destinationChainId).facts;
    return deadline * 1_000 - finalityMs - policy.deadlineMarginMs - (clock.trueNow - clock.monotonic());
  }

  #groupOf(chainId: ChainId, currency: string): string {
    return this.#world.spectator(chainId).currency(currency)?.group ?? currency;
  }

  #worth(
    chainId: ChainId,
    address: string,
    amount: bigint,
    from: number,
    to: number,
  ): { readonly least: Worth; readonly most: Worth } {
    const currency = this.#world.spectator(chainId).currency(address);
    if (!currency) return { least: 0n, most: 0n };
    const { least, most } = this.#world.market.between(currency, from, to);
    const unit = 10n ** BigInt(currency.decimals);
    return { least: (amount * BigInt(least) * MICRO) / unit, most: (amount * BigInt(most) * MICRO) / unit };
  }
}

/** Of what is paid in, what coin beside the output was worth when it was promised. */
function coinValue({ topUp }: Promised): bigint {
  return topUp?.value ?? 0n;
}

const MICRO = 1_000_000n;
