import type { ChangeSet } from '../../../contract/store.js';
import { counter } from '../../../domain/accounts.js';
import { keyName } from '../integrators.js';
import type { LimitPlan } from '../scenario.js';
import type { World } from '../world.js';
import type { Ledger } from './ledger.js';

/**
 * Judges the policies of keys by the reservations themselves, never by their counters.
 *
 * Invariants (G10): after each reservation, what a key reserved or took in a day, and for a user, is within its policy; and no
 * reservation of a key is above what it allows one call.
 */
export class LimitJudge {
  readonly #world: World;
  readonly #limits: ReadonlyMap<string, LimitPlan>;

  constructor(world: World, limits: readonly LimitPlan[]) {
    this.#world = world;
    this.#limits = new Map(limits.map((plan) => [keyName(plan.key), plan]));
  }

  committed({ changes }: ChangeSet, ledger: Ledger): void {
    if (this.#limits.size === 0) return;
    for (const change of changes) {
      if (change.op !== 'insert' || change.table !== 'sponsorships' || change.row.counters === null) continue;
      const { id, amount, counters } = change.row;
      for (const account of JSON.parse(counters) as readonly string[]) this.#judge(account, id, amount, ledger);
    }
  }

  #judge(account: string, id: string, amount: bigint, ledger: Ledger): void {
    const day = new Date(this.#world.clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
    for (const [key, { maxPerCall, maxPerDay, maxPerUser }] of this.#limits) {
      const isDay = account === counter.sponsored(key, day);
      const isUser = account.startsWith(counter.sponsoredUser(key, day, ''));
      if (!isDay && !isUser) continue;
      this.#world.seen('sponsored within a policy');
      if (isDay && maxPerCall !== undefined && amount > BigInt(maxPerCall))
        this.#say(`reservation ${id} is ${amount}, and ${key} allows one call ${maxPerCall}`);
      const most = isDay ? maxPerDay : maxPerUser;
      if (most === undefined) continue;
      const sum = [...ledger.rows('sponsorships')]
        .filter((row) => row.counters !== null && (JSON.parse(row.counters) as string[]).includes(account))
        .reduce((total, row) => total + (row.taken ?? row.amount), 0n);
      if (sum > BigInt(most)) this.#say(`${account} has ${sum} of ${most} with ${id}`);
    }
  }

  #say(message: string): void {
    this.#world.findings.say('policy-exceeded', message);
  }
}
