import type { ChainId, FundingKey } from '../../../contract/ids.js';
import type { ChangeSet } from '../../../contract/store.js';
import { increment } from '../increment.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';

/**
 * Held transfers that refunds of later ones included, as the ledgers of the run committed it.
 *
 * Invariants: both are in the same currency at the same deposit address; the refunds that the chains show included each
 * once.
 */
export class JoinedTransfers {
  readonly #world: Pick<World, 'watches' | 'findings' | 'users'>;
  /** By joined transfer, the transfers whose refunds were to include it; oldest first. */
  readonly #carriers = new Map<FundingKey, FundingKey[]>();

  constructor(world: Pick<World, 'watches' | 'findings' | 'users'>) {
    this.#world = world;
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    for (const change of changes) {
      if (change.op !== 'update' || change.table !== 'legs' || change.set.state !== 'joined') continue;
      const own = ledger.row('legs', change.key.id);
      const other = ledger.row('legs', change.set.reason ?? '');
      if (own?.fundingKey == null || other?.fundingKey == null) {
        this.#world.findings.say('joined-to-nothing', `leg ${change.key.id}`);
        continue;
      }
      this.#judgePlace(own.chainId, own.fundingKey, other.fundingKey);
      const carriers = this.#carriers.get(own.fundingKey) ?? [];
      if (!carriers.includes(other.fundingKey)) carriers.push(other.fundingKey);
      this.#carriers.set(own.fundingKey, carriers);
      this.#passOn(own.fundingKey, other.fundingKey);
      increment(this.#world.users, 'joined to a later one');
    }
  }

  /** The transfers that a refund was to include move with it when it is joined itself. */
  #passOn(joined: FundingKey, to: FundingKey): void {
    for (const carriers of this.#carriers.values())
      if (carriers.includes(joined) && !carriers.includes(to)) carriers.push(to);
  }

  #judgePlace(chainId: ChainId, one: FundingKey, other: FundingKey): void {
    const watch = this.#world.watches.get(chainId);
    const [a, b] = [watch?.deposits.get(one), watch?.deposits.get(other)];
    const place = watch?.places.get(one);
    if (place === undefined || place !== watch?.places.get(other) || a?.currency !== b?.currency)
      this.#world.findings.say('joined-elsewhere', `transfer ${one} is not where ${other} is`);
  }

  /** Amounts of the transfers that the refund of this one includes and no earlier refund on the chain did. */
  amountWith(watch: ChainWatch, fundingKey: FundingKey): bigint {
    let sum = 0n;
    for (const [joined, carriers] of this.#carriers)
      if (carriers.includes(fundingKey) && this.#payer(watch, joined, fundingKey) === fundingKey)
        sum += watch.deposits.get(joined)?.amount ?? 0n;
    return sum;
  }

  /** Whether the refund of another transfer included this one. */
  isPaid(watch: ChainWatch, fundingKey: FundingKey): boolean {
    return this.#payer(watch, fundingKey) !== undefined;
  }

  /** The first of its carriers that was refunded, or is about to be. */
  #payer(watch: ChainWatch, joined: FundingKey, about?: FundingKey): FundingKey | undefined {
    const carriers = this.#carriers.get(joined) ?? [];
    const isOut = (key: FundingKey) => ['refund', 'excess'].some((leg) => watch.refundOf(key, leg as 'refund'));
    return carriers.find(isOut) ?? carriers.find((key) => key === about);
  }

  /** Transfers whose refunds were to include this one. */
  carriersOf(fundingKey: FundingKey): readonly FundingKey[] {
    return this.#carriers.get(fundingKey) ?? [];
  }
}
