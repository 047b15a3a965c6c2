import type { ChainId } from '../../../contract/ids.js';
import type { ChangeSet } from '../../../contract/store.js';
import type { FakeChain, FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import { POOL_SIDES, POOL_TOKEN } from '../drawn-values.js';
import { History } from '../price-history.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';
import { givenBy, mostIn, type Promised } from './promised.js';
import { isPartBack } from './top-up-judge.js';
import { WorkMeter } from './work-meter.js';

/** Micro-USD times a million, to avoid rounding. */
type Worth = bigint;

/** Longest time from a price read to the signing commit under database faults. */
const SIGNING_MS = 8_000;
/** The same with a paused process, which writes old decisions on resume. */
const STOPPED_MS = 25_000;
/** The same without faults. */
const QUIET_MS = 1_000;
/** Normal price difference of one asset between two sources. */
const SAME_ASSET_BPS = 10n;
/** Service limit for an honest user after the accepted deposit, despite attackers. */
const SERVED_MS = 45_000;

/** Observed course of one order. */
interface Course {
  /** Virtual milliseconds. */
  readonly quotedAt: number;
  paidAt?: number;
  signedAt?: number;
  topUpAt?: number;
  closedAt?: number;
}

/**
 * Judges profits by canonical chains and contemporary prices, never by the service's books.
 *
 * Invariants: (a) no fill was signed at a loss, and without faults no order costs the solver more than it earns plus
 * the work of a few payments; (b) attackers' orders together cause no loss; (c) without faults, honest payers are
 * served in time; (d) no one is paid from another's deposit (judged with the withdrawals).
 */
export class Economy {
  readonly #world: World;
  readonly #courses = new Map<string, Course>();
  readonly #fees = new Map<ChainId, History>();
  readonly #refused = new Map<string, { readonly microUsd: number; readonly at: number }>();
  readonly #moved = new Map<string, number[]>();
  readonly #pools = new Map<ChainId, { readonly seen: string; readonly at: number[] }>();
  readonly #gasRises = new Map<ChainId, number[]>();

  constructor(world: World) {
    this.#world = world;
  }

  promised(orderId: string): void {
    this.#courses.set(orderId, { quotedAt: this.#now });
  }

  paid(orderId: string): void {
    const course = this.#courses.get(orderId);
    if (course) course.paidAt = this.#now;
  }

  refused(who: string, microUsd: number): void {
    this.#refused.set(who, { microUsd, at: this.#now });
  }

  gasRise(chainId: ChainId): void {
    this.#gasRises.set(chainId, [...(this.#gasRises.get(chainId) ?? []), this.#now]);
  }

  moved(group: string): void {
    this.#moved.set(group, [...(this.#moved.get(group) ?? []), this.#now]);
  }

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
      if (leg?.kind === 'topUp' && state === 'bound') this.#signedTopUp(leg.orderId ?? '');
      const course = leg?.kind === 'fill' && leg.orderId !== null ? this.#courses.get(leg.orderId) : undefined;
      if (course) course[state === 'bound' ? 'signedAt' : 'closedAt'] = this.#now;
    }
  }

  #signedTopUp(id: string): void {
    const course = this.#courses.get(this.#world.topUps.orderOf(id) ?? '');
    if (course) course.topUpAt = this.#now;
  }

  /** Ignorable transfers: unconfigured tokens, or dust without an order. */
  mayBeIgnored(deposit: FakeDeposit, { chain }: ChainWatch): boolean {
    const currency = this.#world.spectator(chain.id).currency(deposit.currency);
    if (!currency) return true;
    const { least } = this.#world.market.between(currency, 0, this.#now);
    const floor = this.#world.policy.limits.dustMicroUsd;
    return deposit.amount * BigInt(least) < floor * 10n ** BigInt(currency.decimals);
  }

  /** Possibly ignored receipts of a depository, plus their acceptance cost, which may be booked twice. */
  ignored(chainId: ChainId, currency: string): bigint {
    const watch = this.#world.watch(chainId);
    const isNative = currency === this.#world.spectator(chainId).facts.currency.address;
    return [...watch.deposits.values()]
      .filter((deposit) => this.mayBeIgnored(deposit, watch) || this.#world.addresses.isStranded(deposit, watch))
      .reduce((sum, { amount, cost = 0n, ...deposit }) => {
        const came = deposit.currency === currency ? amount : 0n;
        return sum + came + (isNative ? cost : 0n);
      }, 0n);
  }

  judge(): void {
    const meter = new WorkMeter(this.#world, this.#fees);
    let harmful: Worth = 0n;
    for (const promise of this.#world.promises.values()) {
      const course = this.#courses.get(promise.orderId);
      const origin = this.#world.watches.get(promise.originChainId);
      if (!course || !origin || origin.lost(promise.orderId)) continue;
      const traded = this.#traded(promise, course) + this.#topUp(promise, course);
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

  get #isQuiet(): boolean {
    return this.#world.faults.size === 0 && !this.#world.restored;
  }

  /** Longest time from reading prices to the signing commit. */
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

  /** A fill's profit at the prices of its signature, at least zero. */
  #traded(promise: Promised, { signedAt }: Course): Worth {
    const fill = this.#world.watches.get(promise.destinationChainId)?.fills.get(promise.orderId);
    const covers = fill && this.#coveredBy(promise);
    if (!fill || covers === undefined || signedAt === undefined) return 0n;
    const [paid, got] = [promise.currencyIn, givenBy(promise).currency];
    const [from, to] = this.#pricedAt(promise, signedAt);
    const sponsored = this.#world.gasless.paidFor(promise.requestId) * MICRO;
    const income = this.#worth(promise.originChainId, paid, covers - coinValue(promise), from, to).most + sponsored;
    const outgo = this.#worth(promise.destinationChainId, got, fill.amount, from, to).least;
    const same = this.#groupOf(promise.originChainId, paid) === this.#groupOf(promise.destinationChainId, got);
    const tolerance = same ? (income * SAME_ASSET_BPS) / 10_000n : 0n;
    const unit = this.#worth(promise.destinationChainId, got, 1n, 0, this.#now).most + 1n;
    if (outgo > income + tolerance + unit)
      this.#say('sold-below-cost', `fill of ${promise.orderId} was worth ${outgo}, and its deposit ${income}`);
    return income - outgo;
  }

  /**
   * Pricing period of a fill: at its signature, or at the quote for a fixed rate. The fixed-rate fee covers moves in
   * between, up to the limit on open promises.
   */
  #pricedAt(promise: Promised, signedAt: number): readonly [from: number, to: number] {
    const usual = [signedAt - this.#signingMs, signedAt] as const;
    if (promise.fixed === undefined) return usual;
    const quotedAt = this.#courses.get(promise.orderId)?.quotedAt ?? signedAt;
    // A reorg may have moved the payment, so either time may apply.
    if (!this.#isQuiet) return [quotedAt - this.#signingMs, signedAt];
    return this.#world.rates.inTime(promise) ? [quotedAt - this.#signingMs, quotedAt] : usual;
  }

  #topUp(promise: Promised, { topUpAt: coinAt, quotedAt }: Course): Worth {
    const { topUp, orderId, originChainId, currencyIn, destinationChainId } = promise;
    const coin = topUp && this.#world.watches.get(destinationChainId)?.fills.get(topUp.id);
    if (!coin || coinAt === undefined) return 0n;
    const from = coinAt - this.#signingMs;
    const outgo = this.#worth(destinationChainId, topUp.currency, coin.amount, from, coinAt).least;
    const part = this.#worth(originChainId, currencyIn, topUp.part, from, coinAt).most;
    // A late payment and its top-up are priced again.
    if (outgo > part && !this.#isLate(promise, quotedAt))
      this.#say('top-up-below-cost', `coin of ${orderId} was worth ${outgo}, and its part ${part}`);
    // For a refund the withheld part counts there.
    const isFilled = this.#world.watches.get(destinationChainId)?.fills.has(orderId);
    const income = isFilled ? this.#worth(originChainId, currencyIn, topUp.value, from, coinAt).most : 0n;
    return income - outgo;
  }

  #isLate({ originChainId, orderId, fixed }: Promised, quotedAt: number): boolean {
    const { clock } = this.#world;
    const validUntil = quotedAt + this.#world.spectator(originChainId).facts.quoteValidityMs;
    const until = fixed?.until ?? validUntil + clock.trueNow - clock.monotonic();
    const deposits = this.#world.watch(originChainId).depositsOf(orderId);
    return this.#world.faults.has('wallJump') || deposits.some(({ block }) => block.timestamp > until);
  }

  /** Depreciation of an order's charges in the input currency before its signature. */
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

  #coveredBy(promise: Promised): bigint | undefined {
    const origin = this.#world.watch(promise.originChainId);
    const candidates = origin
      .depositsOf(promise.orderId)
      .filter((one) => one.currency === promise.currencyIn && !origin.refundOf(one.fundingKey, 'refund'))
      .map(({ amount }) => (amount < mostIn(promise) ? amount : mostIn(promise)));
    return candidates.sort((a, b) => (a > b ? -1 : 1))[0];
  }

  /** Withheld from all refunds of an order, on every chain. */
  #kept(promise: Promised): Worth {
    const { orderId } = promise;
    const amountIn = mostIn(promise);
    let sum: Worth = 0n;
    for (const watch of this.#world.watches.values()) {
      for (const { fundingKey, amount, currency } of watch.depositsOf(orderId)) {
        const refund = watch.refundOf(fundingKey, 'refund');
        const excess = watch.refundOf(fundingKey, 'excess');
        const beyond = amount > amountIn ? amount - amountIn : 0n;
        const part = !refund && isPartBack(watch, promise, { fundingKey, amount }) ? coinValue(promise) : 0n;
        const back = (refund?.amount ?? 0n) + (excess?.amount ?? 0n);
        const withheld = refund
          ? amount + this.#world.joined.amountWith(watch, fundingKey) - back
          : excess
            ? beyond + part - back
            : 0n;
        const worth = this.#worth(watch.chain.id, currency, withheld, 0, this.#now);
        sum += withheld < 0n ? worth.least : worth.most;
      }
    }
    return sum;
  }

  /** Honest quotes are refused only for limits used by real fills of that day. */
  #quoted(): void {
    for (const [who, { microUsd, at }] of this.#refused)
      if (!this.#isSoldOut(BigInt(microUsd) * 2n, at, at))
        this.#say('honest-refused', `${who} got no quote for ${microUsd}`);
  }

  /**
   * Whether fills in that period leave less capacity than this, micro-USD. Using it up has a price or puts the same
   * value at stake.
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
   * Permitted refusals: the daily limit is used, its price moved without a promise, gas exceeds its limit, or the
   * order ends too early.
   */
  #mayBeRefused(promise: Promised, paidAt: number): boolean {
    const { originChainId, currencyIn, amountIn } = promise;
    const quotedAt = this.#courses.get(promise.orderId)?.quotedAt ?? paidAt;
    const since = (at: number): boolean => at >= quotedAt && at <= paidAt + SERVED_MS;
    if (this.#lastSigning(promise) < paidAt + SERVED_MS + this.#world.spectator(originChainId).facts.finalityMs)
      return true;
    // Anyone may pay to move a pool; no promise covers that.
    if (promise.swapIn !== undefined && this.#pools.get(originChainId)?.at.some(since)) return true;
    if (promise.swap !== undefined && this.#pools.get(promise.destinationChainId)?.at.some(since)) return true;
    const doubled = this.#worth(originChainId, currencyIn, amountIn * 2n, 0, this.#now).most / MICRO;
    if (this.#isSoldOut(doubled, paidAt, paidAt + SERVED_MS)) return true;
    if (this.#gasRises.get(promise.destinationChainId)?.some(since)) return true;
    const { topUp } = promise;
    const given = [givenBy(promise).currency, ...(topUp?.isNeeded ? [topUp.currency] : [])];
    const groups = new Set([
      this.#groupOf(promise.originChainId, promise.currencyIn),
      ...given.map((currency) => this.#groupOf(promise.destinationChainId, currency)),
    ]);
    if (groups.size === 1) return false;
    // A fixed rate holds whatever prices do.
    if (this.#world.rates.inTime(promise)) return false;
    return [...groups].some((group) => this.#moved.get(group)?.some(since));
  }

  /** Latest signing time of a fill, on the run's clock. */
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

function coinValue({ topUp }: Promised): bigint {
  return topUp?.value ?? 0n;
}

const MICRO = 1_000_000n;
