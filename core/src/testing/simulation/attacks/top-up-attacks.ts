import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import { MAX_TOP_UP } from '../drawn-values.js';
import { refuse } from '../user.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

const MAX_POLLS = 60;
const POLL_INTERVAL_MS = 200;
const BURNT = 600n;

async function filled(attacker: Attacker, chain: FakeChain, orderId: string): Promise<void> {
  for (let looks = 0; looks < MAX_POLLS; looks += 1) {
    if (chain.history().fills.some((fill) => fill.orderId === orderId)) return;
    await attacker.wait(POLL_INTERVAL_MS);
  }
}

/** Repeats the largest top-up next to the smallest output. */
async function topUpCircles(attacker: Attacker): Promise<boolean> {
  const { random, world, destination } = attacker;
  const gets = random.pick(['USDF', 'GLD']);
  const acts = attacker.with({ gets, tradeType: 'EXACT_OUTPUT', value: 1_000_000 });
  let any = false;
  for (let n = 0; n < 5; n += 1) {
    const recipient = acts.account(`circle ${n}`);
    const how = random.pick([
      'whole',
      'half',
      'twice',
      'late',
      'output',
      'coin',
      'burn',
      'burn later',
      'price',
    ] as const);
    if (how === 'burn') destination.deploy(recipient, ({ price }) => ({ work: price === 0n ? 0n : BURNT }));
    const quoted = await acts.ask({
      ...{ recipient, topupGas: true, topupGasAmount: `${MAX_TOP_UP}` },
      slippageTolerance: random.pick(['50', '300', '5000']),
    });
    if (!quoted) continue;
    any = true;
    const { promise } = quoted;
    if (how === 'late') await acts.wait(31_000, 30_000 + Math.max(2_000, Math.floor(world.policy.orderTtlMs / 3)));
    if (how === 'output') refuse(destination, recipient);
    acts.pay(promise, how === 'half' ? { amount: promise.amountIn / 2n + 1n } : {});
    if (how === 'twice') acts.pay(promise);
    if (how === 'price') {
      // Coin becomes expensive while its output is in flight.
      await acts.wait(0, 4_000);
      world.market.set('coin', Math.round(world.market.get('coin') * random.pick([0.9, 1.02, 1.1, 1.5])));
      world.economy.moved('coin');
    }
    if (how === 'coin' || how === 'burn later') {
      await filled(acts, destination, promise.orderId);
      if (how === 'coin') refuse(destination, recipient);
      else destination.deploy(recipient, () => ({ work: BURNT }));
    }
    acts.note(`goes round by ${how}`);
    await acts.wait(0, 3_000);
  }
  return any;
}

export const TOP_UP_ATTACKS = { topUpCircles } satisfies Record<string, Attack>;
