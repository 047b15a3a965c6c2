import { signText } from '../fake-chain/signed-text.js';
import { increment } from './increment.js';
import { shopWallet, TILLS, tillOf } from './oracle/claim-judge.js';
import type { ShopPlan } from './scenario.js';
import type { ServiceProcess } from './service-process.js';
import { refuse } from './user.js';
import type { World } from './world.js';

const CALL_TIMEOUT_MS = 3_000;
const CURRENCIES = ['FAKE', 'USDF', 'GLD'] as const;

/**
 * Claims app fees everywhere, also abusively: twice at once, repeated, for another recipient under the same
 * signature, to a refusing account.
 */
export async function playShop(world: World, plan: ShopPlan): Promise<void> {
  const random = world.random.fork(`shop ${plan.id}`);
  const began = world.clock.monotonic();
  const wallet = shopWallet(plan);
  for (const at of plan.at) {
    await world.clock.sleep(Math.max(0, began + at - world.clock.monotonic()));
    const chain = random.pick([...world.chains.values()]);
    const place = { chainId: chain.id, wallet, currency: chain.currencyOf(random.pick(CURRENCIES)) };
    const till = random.pick(TILLS);
    if (till === 'refusing till') refuse(chain, tillOf(plan, till));
    const { running } = world;
    if (running.length === 0) continue;
    const claim = async (process: ServiceProcess, recipient: string, part: bigint): Promise<void> => {
      const whole = await patiently(world, process.engine.offerFees({ ...place, recipient, amount: null }));
      if (!whole?.ok) return;
      const ask = { ...place, recipient, amount: whole.offer.amount / part };
      const offered = part === 1n ? whole : await patiently(world, process.engine.offerFees(ask));
      if (!offered?.ok) return;
      const { claimId } = offered.offer;
      const post = async (recipientNow: string): Promise<void> => {
        const by = random.pick(world.running.length > 0 ? world.running : [process]);
        const said = { ...ask, recipient: recipientNow };
        const answer = await patiently(world, by.engine.claimFees(said, claimId, signText(wallet, claimId)));
        if (answer?.ok && recipientNow !== recipient && answer.state === 'accepted')
          world.findings.say('claim-rewritten', `${claimId} was accepted for ${recipientNow}`);
        if (!answer?.ok) return;
        world.claims.accepted(claimId);
        world.note(`s${plan.id}`, `claims ${ask.amount} on ${chain.id} under ${claimId}`);
        if (answer.state === 'accepted') increment(world.users, 'claiming');
      };
      await Promise.all([post(recipient), ...(random.chance(0.3) ? [post(recipient)] : [])]);
      if (random.chance(0.3)) await post(tillOf(plan, 'safe'));
      if (random.chance(0.3)) await post(recipient);
    };
    const part = random.pick([1n, 1n, 2n, 3n]);
    const twice = random.chance(0.4) ? [claim(random.pick(running), tillOf(plan, 'safe'), 1n)] : [];
    await Promise.all([claim(random.pick(running), tillOf(plan, till), part), ...twice]);
  }
}

function patiently<T>(world: World, answer: Promise<T>): Promise<T | undefined> {
  return Promise.race([answer.catch(() => undefined), world.clock.sleep(CALL_TIMEOUT_MS).then(() => undefined)]);
}
