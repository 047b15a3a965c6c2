import type { Promised } from '../oracle/promised.js';
import type { Attacker } from './attacker.js';
import { VOLATILE, worthOf } from './market-attacks.js';
import type { Attack } from './play-attack.js';

/** Takes as many and as large firm quotes as allowed. */
async function firmOption(attacker: Attacker): Promise<boolean> {
  const { world, random } = attacker;
  const most = world.policy.fixedRate;
  if (most === undefined) return false;
  let any = false;
  for (let round = 0; round < 2; round += 1) {
    const [symbol, group] = random.pick(VOLATILE);
    const value = Number(most.maxHeldMicroUsdPerKey / BigInt(random.pick([2, 4, 8])));
    const sides = [{ pays: symbol, gets: 'USDF' } as const, { pays: 'USDF', gets: symbol } as const];
    const quotes: Promised[] = [];
    for (let n = 0; n < 6; n += 1) {
      const acts = attacker.with({ ...random.pick(sides), value, fixed: true });
      const quoted = await acts.ask({ fixedRate: '0', slippageTolerance: random.pick(['50', '300']) });
      if (quoted) quotes.push(quoted.promise);
    }
    any ||= quotes.length > 0;
    await attacker.wait(500, Math.max(1_000, most.validityMs - 5_000));
    world.market.set(group, Math.round(world.market.get(group) * random.pick([0.9, 0.97, 0.996, 1.004, 1.03, 1.1])));
    world.economy.moved(group);
    for (const promise of quotes) {
      const gains = worthOf(attacker, promise) > 1;
      // Paying a tiny part keeps the other inventory reserved.
      const how = random.pick(['whole', 'whole', 'whole', 'trifle', 'late'] as const);
      if (how === 'trifle') attacker.pay(promise, { amount: promise.amountIn / 100n + 1n });
      else if (how === 'late') await attacker.wait(most.validityMs);
      if (gains && how !== 'trifle') attacker.pay(promise);
    }
    attacker.note(`has ${quotes.length} rates fixed, and pays what gains`);
    await attacker.wait(0, 4_000);
  }
  return any;
}

export const RATE_ATTACKS = { firmOption } satisfies Record<string, Attack>;
