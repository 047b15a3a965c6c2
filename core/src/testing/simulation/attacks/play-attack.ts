import { increment } from '../increment.js';
import type { AttackKind, AttackPlan } from '../scenario.js';
import type { World } from '../world.js';
import { ACCOUNT_ATTACKS } from './account-attacks.js';
import { Attacker } from './attacker.js';
import { MARKET_ATTACKS } from './market-attacks.js';
import { PAYER_SWAP_ATTACKS } from './payer-swap-attacks.js';
import { POOL_ATTACKS } from './pool-attacks.js';
import { RATE_ATTACKS } from './rate-attacks.js';
import { SPAM_ATTACKS } from './spam-attacks.js';
import { SWAP_IN_ATTACKS } from './swap-in-attacks.js';
import { TOP_UP_ATTACKS } from './top-up-attacks.js';
import { WORK_ATTACKS } from './work-attacks.js';

export type Attack = (attacker: Attacker) => Promise<boolean>;

const ATTACKS: Record<AttackKind, Attack> = {
  ...SPAM_ATTACKS,
  ...ACCOUNT_ATTACKS,
  ...WORK_ATTACKS,
  ...MARKET_ATTACKS,
  ...POOL_ATTACKS,
  ...PAYER_SWAP_ATTACKS,
  ...RATE_ATTACKS,
  ...TOP_UP_ATTACKS,
  ...SWAP_IN_ATTACKS,
};

export async function playAttack(world: World, plan: AttackPlan): Promise<void> {
  await world.clock.sleep(plan.at);
  const attacker = new Attacker(world, plan);
  if (await ATTACKS[plan.kind](attacker)) increment(world.attacks, plan.kind);
}
