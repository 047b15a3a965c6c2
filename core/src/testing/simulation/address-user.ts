import { fakeAddress } from '../fake-chain/cheap-hash.js';
import { SYMBOLS } from './drawn-values.js';
import { increment } from './increment.js';
import type { Promised } from './oracle/promised.js';
import type { Quoted, User } from './user.js';

const MAX_TRANSFERS = 4;

/** Several transfers by several payers, some small, some in another currency, some long after the quote. */
export async function payOpenAddress(user: User, { promise }: Quoted): Promise<void> {
  const { origin, random, plan, world } = user;
  const { address } = promise;
  if (address === undefined) return;
  const count = random.between(1, MAX_TRANSFERS);
  for (let n = 0; n < count; n += 1) {
    await user.wait(0, random.chance(0.15) ? 30_000 + world.policy.orderTtlMs : 8_000);
    const isOther = random.chance(0.3);
    const symbol = isOther ? random.pick(SYMBOLS) : plan.pays;
    const part = random.pick([1n, 30n, 100n, 100n, 250n]);
    const worth = user.worth(plan.origin, symbol, plan.value);
    const amount = random.chance(0.1) ? BigInt(random.between(1, 3)) : (worth * part) / 100n + 1n;
    const from = user.account(random.pick(['wallet', 'other wallet']));
    user.transfer(address.address, promise, { from, amount, currency: origin.currencyOf(symbol) });
    increment(world.users, isOther ? 'other currency to an open address' : 'transfer to an open address');
    if (random.chance(0.2))
      user.transfer(address.address, promise, { from, amount, currency: origin.currencyOf(symbol) });
  }
}

/** What third parties can do at an address: pay it, and call its forwarder. */
export async function disturb(user: User, { address, requestId, currencyIn }: Promised): Promise<void> {
  const { origin, random, world } = user;
  const stranger = fakeAddress(`stranger ${user.name}`);
  if (address === undefined) return;
  if (random.chance(0.2)) {
    await user.wait(0, 20_000);
    user.transfer(address.address, { currencyIn, amountIn: 1n }, { from: stranger });
    increment(world.users, 'dust to an address');
  }
  if (origin.profile !== 'nonce') return;
  for (let n = 0; n < 3 && random.chance(0.4); n += 1) {
    await user.wait(0, 15_000);
    origin.forward(stranger, requestId, random.chance(0.8) ? currencyIn : origin.currencyOf('FAKE'));
    user.note('a stranger calls its forwarder');
  }
}
