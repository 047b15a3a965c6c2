import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

const MOST_LOOKS = 60;

/** Waits until a request shows a status, and no longer than a client would. */
async function becomes(attacker: Attacker, requestId: string, wanted: string): Promise<void> {
  for (let n = 0; n < MOST_LOOKS; n += 1) {
    await attacker.wait(150);
    const [process] = attacker.world.running;
    if (process && (await attacker.patiently(process.status(requestId))) === wanted) return;
  }
}

/** A chain that pays tokens into accounts, on either side of what it plans; undefined where there is none. */
function side(attacker: Attacker): 'origin' | 'destination' | undefined {
  const sides = (['origin', 'destination'] as const).filter((one) => attacker[one].profile === 'expiring');
  return sides.length === 0 ? undefined : attacker.random.pick(sides);
}

const TOKENS = ['USDF', 'GLD'] as const;

/** Fill or refund: the account at its address is somebody else's when the money comes. */
async function accountGivenAway(attacker: Attacker): Promise<boolean> {
  const where = side(attacker);
  if (where === undefined) return false;
  const symbol = attacker.random.pick(TOKENS);
  const acts = attacker.with(where === 'origin' ? { pays: symbol } : { gets: symbol });
  const quoted = await acts.ask(where === 'origin' ? { referrer: 'debug-force-refund' } : {});
  if (!quoted) return false;
  const { promise } = quoted;
  const chain = acts[where];
  const owner = where === 'origin' ? promise.refundTo : promise.recipient;
  const give = (): void => {
    chain.giveAway(owner, symbol, acts.account('receiver'));
    acts.note(`gives ${owner} away on ${chain.id}`);
  };
  const when = acts.random.pick(['before', 'while', 'sent'] as const);
  if (when === 'before') give();
  await acts.wait(0, 2_000);
  acts.pay(promise);
  if (when === 'while') {
    await acts.wait(0, 12_000);
    give();
  }
  if (when === 'sent') {
    await becomes(acts, promise.requestId, 'submitted');
    give();
  }
  return true;
}

/** Whoever closes an account gets what it locks up, whoever paid that. */
async function accountCycling(attacker: Attacker): Promise<boolean> {
  const where = side(attacker);
  if (where === undefined) return false;
  const symbol = attacker.random.pick(TOKENS);
  // So little that what the service takes for itself hides no loss.
  const little = { value: 5_000_000, tradeType: 'EXACT_INPUT' } as const;
  const acts = attacker.with({ ...little, ...(where === 'origin' ? { pays: symbol } : { gets: symbol }) });
  const chain: FakeChain = acts[where];
  for (let n = 0; n < 3; n += 1) {
    const quoted = await acts.ask(where === 'origin' ? { referrer: 'debug-force-refund' } : {});
    if (!quoted) return n > 0;
    const { promise } = quoted;
    const owner = where === 'origin' ? promise.refundTo : promise.recipient;
    acts.pay(promise);
    if (acts.random.chance(0.5)) chain.closeAccount(owner, symbol);
    await becomes(acts, promise.requestId, acts.random.pick(['submitted', 'success', 'refund']));
    chain.closeAccount(owner, symbol);
    acts.note(`closes ${owner} on ${chain.id}`);
  }
  return true;
}

export const ACCOUNT_ATTACKS = { accountGivenAway, accountCycling } satisfies Record<string, Attack>;
