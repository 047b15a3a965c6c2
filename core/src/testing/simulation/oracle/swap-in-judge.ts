import type { ChainId } from '../../../contract/ids.js';
import type { FakeDeposit, FakeWithdrawal } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';

/** Basis points. */
const BPS = 10_000n;
/** Pool fees and rounding. */
const POOL_BPS = 40n;
/** Maximum withheld relative to actual cost: each transaction is charged its estimate with a buffer for rising fees. */
const CHARGED = 2n;
/** Work of a failed swap without a trace on the chain, which is charged in advance. */
const EXCHANGE_WORK = 250n;

/**
 * Judges swaps into the depository by the chains.
 *
 * Invariants: refunds equal the deposit's value minus transaction cost; a swap on refund loses at most the order's
 * tolerance, and not the deployer's money; attackers get no more out than they put in. Not judged after price moves
 * or faults.
 */
export class SwapInJudge {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  judgeAll(): void {
    const { coalition, watches } = this.#world;
    if (!this.#isStill()) return;
    let [given, got] = [0n, 0n];
    for (const watch of watches.values()) {
      for (const deposit of watch.deposits.values()) {
        const isTheirs = coalition.has(deposit.from) || coalition.has(this.#recipientOf(deposit));
        if (isTheirs) given += this.#worth(watch.chain.id, deposit.currency, deposit.amount);
        for (const leg of ['refund', 'excess'] as const) {
          const back = watch.refundOf(deposit.fundingKey, leg);
          if (back && (isTheirs || coalition.has(back.recipient)))
            got += this.#worth(watch.chain.id, back.currency, back.amount);
          if (back && leg === 'refund' && deposit.paid !== undefined) this.#back(watch, deposit, back);
        }
      }
      for (const { recipient, currency, amount } of watch.fills.values())
        if (coalition.has(recipient)) got += this.#worth(watch.chain.id, currency, amount);
    }
    if (got > given) this.#say('attackers-richer', `those who mean harm got ${got} for ${given}`);
  }

  #recipientOf({ orderId }: FakeDeposit): string {
    return this.#world.promises.get(orderId ?? '')?.recipient ?? '';
  }

  #back(watch: ChainWatch, deposit: FakeDeposit, back: FakeWithdrawal): void {
    const { fundingKey, amount, currency, orderId } = deposit;
    const excess = watch.refundOf(fundingKey, 'excess')?.amount ?? 0n;
    const withheld = this.#worth(watch.chain.id, currency, amount - back.amount - excess);
    const most = this.#mostWork(watch, deposit);
    if (withheld > most) this.#say('refund-short', `${withheld} was withheld of ${fundingKey}, and ${most} may be`);
    const promise = orderId === null ? undefined : this.#world.promises.get(orderId);
    if (back.brought === undefined || promise?.swapIn === undefined || promise.swapIn.anyImpact) return;
    const went = this.#worth(watch.chain.id, back.currency, back.amount);
    const came = this.#worth(watch.chain.id, back.brought.currency, back.brought.amount);
    const lost = this.#mostLost(promise.swapIn.slippageBps);
    if (came * BPS + BPS < went * lost)
      this.#say('swapped-back-short', `refund of ${fundingKey}, worth ${went}, was exchanged for ${came}`);
  }

  /** Minimum remainder of a swap, basis points. */
  #mostLost(slippageBps: number): bigint {
    const { mostImpactBps } = this.#world.policy.swaps;
    return ((BPS - BigInt(mostImpactBps) - POOL_BPS) * (BPS - BigInt(slippageBps))) / BPS;
  }

  /** Maximum that may be withheld, by the work on the chains. */
  #mostWork(watch: ChainWatch, { fundingKey, orderId }: FakeDeposit): bigint {
    const names = new Set<string>([this.#world.spectator(watch.chain.id).useKey(fundingKey, 'refund')]);
    if (orderId !== null) names.add(orderId);
    let sum = 0n;
    for (const { chain } of this.#world.watches.values()) {
      const { address } = this.#world.spectator(chain.id).facts.currency;
      for (const { fee, carries, signer } of chain.history().fees)
        if (signer === chain.signer && carries.some(({ name }) => names.has(name)))
          sum += this.#worth(chain.id, address, fee);
      if (chain === watch.chain) sum += this.#worth(chain.id, address, EXCHANGE_WORK * chain.baseFee);
    }
    return sum * CHARGED;
  }

  #isStill(): boolean {
    const { faults, restored, spectators, market, clock } = this.#world;
    if (faults.size > 0 || restored) return false;
    const currencies = [...spectators.values()].flatMap((chain) => chain.currencies());
    return currencies.every((currency) => {
      const { least, most } = market.between(currency, 0, clock.monotonic());
      return least === most;
    });
  }

  /** Micro-USD times a million. */
  #worth(chainId: ChainId, address: string, amount: bigint): bigint {
    const currency = this.#world.spectator(chainId).currency(address);
    if (!currency) return 0n;
    return (amount * BigInt(this.#world.market.get(currency.group)) * 1_000_000n) / 10n ** BigInt(currency.decimals);
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}
