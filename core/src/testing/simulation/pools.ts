import { fakeAddress } from '../fake-chain/cheap-hash.js';
import type { FakePoolSide } from '../fake-chain/fake-chain-types.js';
import type { FakeSwap } from '../fake-chain/pools.js';
import { POOL_SIDES, POOL_TOKEN } from './drawn-values.js';
import { increment } from './increment.js';
import type { TradePlan } from './scenario.js';
import type { World } from './world.js';

/** Micro-USD per whole unit of the pool token. */
export const GOV_PRICE = 5_000_000;

/** A hundred thousand dollars per side at initial prices. */
const HOLDS = { USDF: 100_000_000_000n, FAKE: 1_000_000_000n, [POOL_TOKEN]: 20_000_000_000n } as const;

export function poolsOf(): readonly (readonly [FakePoolSide, FakePoolSide])[] {
  return POOL_SIDES.map((symbol) => [
    { symbol, holds: HOLDS[symbol] },
    { symbol: POOL_TOKEN, holds: HOLDS[POOL_TOKEN] },
  ]);
}

export async function playTrades(world: World, plans: readonly TradePlan[]): Promise<void> {
  const random = world.random.fork('trades');
  const began = world.clock.monotonic();
  for (const [n, { at, chain: id, symbol, buys, value }] of plans.entries()) {
    await world.clock.sleep(Math.max(0, began + at - world.clock.monotonic()));
    const chain = world.chain(id);
    const [side, token] = [chain.currencyOf(symbol), chain.currencyOf(POOL_TOKEN)];
    const [input, output] = buys ? [side, token] : [token, side];
    const priced = world.spectator(id).currency(input);
    if (!priced) continue;
    const amount = (BigInt(value) * 10n ** BigInt(priced.decimals)) / BigInt(world.market.get(priced.group));
    const swap: FakeSwap = { input, output, amount, least: 0n };
    chain.trade(fakeAddress(`trader ${n}`), swap, random.chance(0.5) ? chain.baseFee * 4n + 10n : undefined);
    increment(world.users, 'trading');
    world.note('trader', `exchanges ${amount} of ${input} on ${id}`);
  }
}
