import type { FakeChain } from '../../fake-chain/fake-chain-types.js';
import type { Attacker } from './attacker.js';
import type { Attack } from './play-attack.js';

const MAX_POLLS = 60;

async function becomes(attacker: Attacker, requestId: string, wanted: string): Promise<void> {
  for (let n = 0; n < MAX_POLLS; n += 1) {
    await attacker.wait(150);
    const [process] = attacker.world.running;
    if (process && (await attacker.patiently(process.status(requestId))) === wanted) return;
  }
}

/** A side of the plan with token accounts; undefined without one. */
function side(attacker: Attacker): 'origin' | 'destination' | undefined {
  const sides = (['origin', 'destination'] as const).filter((one) => attacker[one].profile === 'expiring');
  return sides.length === 0 ? undefined : attacker.random.pick(sides);
}

const TOKENS = ['USDF', 'GLD'] as const;

/** Fill or refund into an account whose owner changed. */
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

/** Closing an account returns its rent to the closer, even if another account paid it. */
async function accountCycling(attacker: Attacker): Promise<boolean> {
  const where = side(attacker);
  if (where === undefined) return false;
  const symbol = attacker.random.pick(TOKENS);
  // Small enough that the service's fee hides no loss.
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
