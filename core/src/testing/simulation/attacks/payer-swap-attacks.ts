import { executeOf } from '../../fake-chain/execute-text.js';
import type { FakeExecute } from '../../fake-chain/transaction.js';
import type { Quoted } from '../user.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

type Change = (action: FakeExecute, attacker: Attacker) => Partial<FakeExecute>;

const CHANGES: readonly Change[] = [
  (_, attacker) => ({ to: attacker.account('own pocket') }),
  () => ({ fee: 0n }),
  (_, attacker) => ({ feeTo: attacker.account('own pocket') }),
  ({ fee }) => ({ fee: fee === 0n ? 0n : fee - 1n }),
  ({ fee }) => ({ amountIn: fee + 1n, least: 0n }),
  (_, { random }) => ({ orderId: random.hex(32) }),
];

function actionOf({ answer }: Quoted): FakeExecute | undefined {
  const text = answer.steps.at(-1)?.items.at(-1)?.data['data'];
  const action = JSON.parse(String(text)) as Parameters<typeof executeOf>[0];
  return action.do === 'execute' ? executeOf(action) : undefined;
}

async function foreignExecuting(attacker: Attacker): Promise<boolean> {
  const { origin, plan, random, world } = attacker;
  const acts = attacker.with({ destination: plan.origin, gets: plan.pays });
  let any = false;
  for (let n = 0; n < 4; n += 1) {
    const quoted = await acts.ask({ recipient: acts.account(`executed ${n}`) });
    const action = quoted && actionOf(quoted);
    if (!quoted || !action) return any;
    any = true;
    const others = [...world.promises.values()].filter(
      ({ payer, originChainId }) => originChainId === origin.id && !world.coalition.has(payer),
    );
    const own = others.filter((promise) => promise.payerSwap !== undefined);
    const victim =
      others.length === 0 ? quoted.promise : random.pick(own.length > 0 && random.chance(0.7) ? own : others);
    const as = { orderId: victim.orderId, to: victim.recipient };
    const how = random.pick(['own', 'exact', 'changed', 'reverts'] as const);
    const change = random.pick(CHANGES)(action, acts);
    if (how === 'own') origin.execute(acts.account('wallet'), { ...action, ...change });
    // An exact copy with the attacker's money, before or after the payer.
    if (how === 'exact') origin.execute(acts.account('wallet'), { ...action, ...as });
    if (how === 'changed') origin.execute(acts.account('wallet'), { ...action, ...as, ...change });
    if (how === 'reverts') {
      const hash = origin.execute(acts.account('wallet'), { ...action, ...as, deadline: 1 });
      await acts.wait(0, 4_000);
      await acts.report(victim, hash);
      if (random.chance(0.5)) await acts.report(victim, origin.execute(acts.account('wallet'), action));
    }
    acts.note(`executes ${victim.orderId} by ${how}`);
    await acts.wait(0, 4_000);
  }
  return any;
}

export const PAYER_SWAP_ATTACKS = { foreignExecuting } satisfies Record<string, Attack>;
