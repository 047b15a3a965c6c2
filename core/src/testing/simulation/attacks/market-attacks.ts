import type { Promised } from '../oracle/promised.js';
import { refuse } from '../user.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

/** A dollar-group token that loses its peg. */
export const PARTING = 'USDX';
const PAR = 1_000_000;

async function depegTrading(attacker: Attacker): Promise<boolean> {
  const { world, random } = attacker;
  const acts = attacker.with(random.chance(0.5) ? { pays: PARTING, gets: 'USDF' } : { pays: PARTING, gets: PARTING });
  const fall = (): void => {
    const price = Math.round(PAR * random.pick([0.6, 0.9, 0.985, 0.995]));
    world.market.part(PARTING, 'usd', price);
    acts.note(`${PARTING} falls to ${price}`);
  };
  const when = random.pick(['before', 'between', 'after'] as const);
  if (when === 'before') fall();
  const quoted = await acts.ask({ slippageTolerance: '300' });
  if (quoted) {
    if (when === 'between') fall();
    await acts.wait(0, 4_000);
    acts.pay(quoted.promise);
    if (when === 'after') fall();
  }
  await acts.wait(10_000, 30_000);
  world.market.part(PARTING, 'usd', PAR);
  return true;
}

export const VOLATILE = [
  ['FAKE', 'coin'],
  ['GLD', 'gold'],
] as const;

/** Present value of a quote's output minus its input. */
export function worthOf(attacker: Attacker, promise: Promised): number {
  const value = (chainId: number, currency: string, amount: bigint): number => {
    const known = attacker.world.spectator(chainId).currency(currency);
    if (!known) return 0;
    return (Number(amount) / 10 ** known.decimals) * attacker.world.market.get(known.group);
  };
  const { originChainId, currencyIn, amountIn, destinationChainId, currencyOut, expectedOut } = promise;
  return value(destinationChainId, currencyOut, expectedOut) / value(originChainId, currencyIn, amountIn);
}

async function bestOfMany(attacker: Attacker): Promise<boolean> {
  const { world, random } = attacker;
  const [symbol, group] = random.pick(VOLATILE);
  const acts = attacker.with(random.chance(0.5) ? { pays: symbol, gets: 'USDF' } : { pays: 'USDF', gets: symbol });
  const quotes: Promised[] = [];
  for (let n = 0; n < 6; n += 1) {
    const quoted = await acts.ask({ slippageTolerance: random.pick(['50', '300']) });
    if (quoted) quotes.push(quoted.promise);
    await acts.wait(200, 1_500);
    const moved = Math.round(world.market.get(group) * random.pick([0.9, 0.97, 0.999, 1.001, 1.03, 1.1]));
    world.market.set(group, moved);
    world.economy.moved(group);
    acts.note(`${group} moves to ${moved}`);
  }
  const [best] = quotes.sort((a, b) => worthOf(acts, b) - worthOf(acts, a));
  if (!best) return false;
  acts.pay(best);
  if (random.chance(0.5)) {
    await acts.wait(0, 4_000);
    world.market.set(group, Math.round(world.market.get(group) * random.pick([0.93, 1.07])));
    world.economy.moved(group);
  }
  return true;
}

async function lateAtHighGas(attacker: Attacker): Promise<boolean> {
  const { random, destination, world } = attacker;
  const acts = attacker.with({ gets: random.pick(['FAKE', 'USDF']), tradeType: 'EXACT_INPUT', value: 5_000_000 });
  const quoted = await acts.ask({ slippageTolerance: '5000', latePaymentSlippageTolerance: '5000' });
  if (!quoted) return false;
  await acts.wait(31_000, 30_000 + Math.max(2_000, Math.floor(world.policy.orderTtlMs / 3)));
  const before = destination.baseFee;
  destination.baseFee = before * BigInt(random.pick([10, 30]));
  world.economy.gasRise(destination.id);
  acts.note(`filling becomes expensive on ${destination.id}`);
  // Adapters' fee data is at most a block old.
  await acts.wait(8_000);
  acts.pay(quoted.promise);
  await acts.wait(25_000);
  destination.baseFee = before;
  return true;
}

async function refundCircles(attacker: Attacker): Promise<boolean> {
  const { random } = attacker;
  for (let n = 0; n < 5; n += 1) {
    const quoted = await attacker.ask(random.chance(0.5) ? { referrer: 'debug-force-refund' } : {});
    if (!quoted) return n > 0;
    const { promise } = quoted;
    const how = random.pick(['whole', 'half', 'twice', 'chain'] as const);
    if (how === 'half') attacker.pay(promise, { amount: promise.amountIn / 2n + 1n });
    else if (how === 'chain') {
      const { plan, destination } = attacker;
      const amount = attacker.worth(plan.destination, plan.pays, plan.value);
      attacker.pay(promise, { chain: destination, currency: destination.currencyOf(plan.pays), amount });
    } else attacker.pay(promise);
    if (how === 'twice') attacker.pay(promise);
    await attacker.wait(0, 4_000);
  }
  return true;
}

/** Uses limits up with refusing recipients or mostly refunded deposits. */
async function limitExhausting(attacker: Attacker): Promise<boolean> {
  if (attacker.random.chance(0.3)) return overpaying(attacker);
  const acts = attacker.with({ value: 900_000_000, tradeType: 'EXACT_INPUT' });
  let any = false;
  for (let n = 0; n < 6; n += 1) {
    const recipient = acts.account(`refuser ${n}`);
    const quoted = await acts.ask({ recipient });
    if (!quoted) continue;
    any = true;
    refuse(acts.destination, recipient);
    acts.pay(quoted.promise);
    await acts.wait(0, 3_000);
  }
  return any;
}

async function overpaying(attacker: Attacker): Promise<boolean> {
  const acts = attacker.with({ value: 20_000_000, tradeType: 'EXACT_INPUT' });
  let any = false;
  for (let n = 0; n < 6; n += 1) {
    const quoted = await acts.ask();
    if (!quoted) continue;
    any = true;
    acts.pay(quoted.promise, { amount: quoted.promise.amountIn * 200n });
    await acts.wait(0, 3_000);
  }
  return any;
}

export const MARKET_ATTACKS = {
  depegTrading,
  bestOfMany,
  lateAtHighGas,
  refundCircles,
  limitExhausting,
} satisfies Record<string, Attack>;
