import { fakeAddress } from '../../fake-chain/cheap-hash.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import { SYMBOLS } from '../drawn-values.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

const MAX_UINT256 = 2n ** 256n - 1n;
const POLL_INTERVAL_MS = 200;

function first(chain: FakeChain): bigint {
  return chain.baseFee * 4n + 10n;
}

async function frontRunning(attacker: Attacker): Promise<boolean> {
  const { random, world } = attacker;
  const before = attacker.victim();
  for (let looks = 0; looks < 100; looks += 1) {
    const victim = attacker.victim();
    if (victim === undefined || victim === before) {
      await attacker.wait(POLL_INTERVAL_MS);
      continue;
    }
    const how = random.pick(['unit', 'almost', 'currency', 'chain'] as const);
    const chain = world.chain(how === 'chain' ? victim.destinationChainId : victim.originChainId);
    const symbol = random.pick(SYMBOLS);
    const amount = how === 'almost' ? (victim.amountIn * 9n) / 10n : BigInt(random.between(1, 50));
    const currency = how === 'currency' || how === 'chain' ? chain.currencyOf(symbol) : victim.currencyIn;
    const { orderId } = victim;
    chain.deposit({ from: attacker.account('runner'), currency, amount, orderId, price: first(chain) });
    attacker.note(`runs ahead of ${orderId} with ${how}`);
    return true;
  }
  return false;
}

async function dustSpam(attacker: Attacker): Promise<boolean> {
  const { random, world } = attacker;
  for (let n = 0; n < 25; n += 1) {
    const known = [...world.promises.keys()];
    const orderId = random.pick([null, random.hex(32), ...(known.length > 0 ? [random.pick(known)] : [])]);
    const chain = random.chance(0.7) ? attacker.origin : attacker.destination;
    const currency = chain.currencyOf(random.pick(SYMBOLS));
    chain.deposit({ from: attacker.account('dust'), currency, amount: 1n, orderId: orderId as `0x${string}` | null });
    if (random.chance(0.3)) await attacker.wait(0, 500);
  }
  return true;
}

async function madeUpToken(attacker: Attacker): Promise<boolean> {
  const victim = attacker.victim();
  for (let n = 0; n < 9; n += 1) {
    const orderId = attacker.random.pick([null, victim?.orderId ?? null]);
    const currency = fakeAddress(`${attacker.name} token`);
    attacker.origin.deposit({ from: attacker.account('minter'), currency, amount: MAX_UINT256, orderId });
    await attacker.wait(0, 1_000);
  }
  return true;
}

async function riddling(attacker: Attacker): Promise<boolean> {
  for (let n = 0; n < 5; n += 1) {
    attacker.origin.riddle(attacker.account('sphinx'));
    await attacker.wait(0, 3_000);
  }
  return true;
}

/** Pays to an account of the service that is no pot: the books do not cover it, so the payment must fill nothing. */
async function strayPaying(attacker: Attacker): Promise<boolean> {
  const quoted = await attacker.ask();
  if (!quoted) return false;
  const { currencyIn: currency, amountIn: amount, orderId } = quoted.promise;
  attacker.origin.deposit({ from: attacker.account('wallet'), currency, amount, orderId, stray: true });
  attacker.note(`pays ${orderId} into no pot`);
  return true;
}

/** Deposits another user's money without an order and names itself as depositor. */
async function jointPaying(attacker: Attacker): Promise<boolean> {
  const { random, origin, plan } = attacker;
  // On such chains the signer of a transfer chooses its refund recipient.
  if (origin.profile === 'nonce') return false;
  const amount = attacker.worth(plan.origin, plan.pays, plan.value);
  const currency = origin.currencyOf(plan.pays);
  const orderId = random.pick([null, random.hex(32)]);
  const from = fakeAddress(`${attacker.name} robbed`);
  origin.deposit({ from, depositor: attacker.account('thief'), currency, amount, orderId });
  attacker.note('pays in what is not its own');
  return true;
}

export const SPAM_ATTACKS = {
  frontRunning,
  dustSpam,
  madeUpToken,
  riddling,
  strayPaying,
  jointPaying,
} satisfies Record<string, Attack>;
