import type { Hex } from '../../../contract/ids.js';
import type { QuoteAsk } from '../../../quoting/ask.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import type { SeededRandom } from '../../seeded-random.js';
import type { Promised } from '../oracle/promised.js';
import type { AttackPlan } from '../scenario.js';
import { User } from '../user.js';
import type { World } from '../world.js';

const MAX_QUOTE_TRIES = 4;

/** An attacker. All its accounts belong to one coalition that shares gains. */
export class Attacker extends User {
  constructor(world: World, plan: AttackPlan, random?: SeededRandom) {
    super(world, plan, 'attack', random);
  }

  override account(purpose: string): Hex {
    const account = super.account(purpose);
    this.world.coalition.add(account);
    return account;
  }

  override ask(overrides: Partial<QuoteAsk> = {}): ReturnType<User['ask']> {
    return super.ask(overrides, MAX_QUOTE_TRIES);
  }

  override get key(): string {
    return `key of attackers ${this.plan.id % 2}`;
  }

  get destination(): FakeChain {
    return this.world.chain(this.plan.destination);
  }

  /** The newest unpaid promise to another user, as a pool reader would know it. */
  victim(): Promised | undefined {
    const others = [...this.world.promises.values()].filter(({ recipient }) => !this.world.coalition.has(recipient));
    return others.at(-1);
  }

  with(change: Partial<AttackPlan>): Attacker {
    return new Attacker(this.world, { ...(this.plan as AttackPlan), ...change }, this.random);
  }
}
