import type { HoldRow } from '../../../contract/store-rows.js';
import type { FakeDeposit } from '../../fake-chain/fake-chain-types.js';
import type { World } from '../world.js';
import type { ChainWatch } from './chain-watch.js';
import type { Ledger } from './ledger.js';

/** Outcome of a deposit. `consumed`: its order was filled and it was not refunded. `credited`: to an app balance. */
export type Outcome = 'consumed' | 'refunded' | 'held' | 'credited' | 'none';

/** A hold is named after its leg and version. */
const OF_LEG = /^hold:(.*):\d+$/;

/** Open holds of a deposit's main part, surplus and top-up part. */
export function holdsOf(ledger: Ledger): {
  readonly whole: Map<string, HoldRow>;
  readonly excess: Map<string, HoldRow>;
  readonly topUps: Map<string, HoldRow>;
} {
  const whole = new Map<string, HoldRow>();
  const excess = new Map<string, HoldRow>();
  const topUps = new Map<string, HoldRow>();
  for (const hold of ledger.rows('holds')) {
    if (hold.state !== 'open') continue;
    const leg = ledger.row('legs', OF_LEG.exec(hold.id)?.[1] ?? hold.id);
    (leg?.kind === 'excess' ? excess : leg?.kind === 'topUp' ? topUps : whole).set(hold.fundingKey, hold);
  }
  return { whole, excess, topUps };
}

type Seen = Pick<World, 'watches' | 'promises' | 'joined' | 'gasless'>;

/** Outcomes of a canonical deposit; exactly one is correct. One that was joined shares that of the later one. */
export function outcomesOf(
  { watches, promises, joined, gasless }: Seen,
  held: ReadonlyMap<string, unknown>,
  watch: ChainWatch,
  deposit: FakeDeposit,
): readonly Outcome[] {
  const found: Outcome[] = [];
  const { fundingKey } = deposit;
  const refunded = watch.refundOf(fundingKey, 'refund') !== undefined;
  if (refunded || joined.isPaid(watch, fundingKey)) found.push('refunded');
  else if (joined.carriersOf(fundingKey).some((key) => held.has(key))) found.push('held');
  if (held.has(fundingKey)) found.push('held');
  const promise = deposit.orderId === null ? undefined : promises.get(deposit.orderId);
  const mayPay = promise?.originChainId === watch.chain.id && promise.currencyIn === deposit.currency;
  const filled = mayPay && watches.get(promise.destinationChainId)?.fills.has(promise.orderId);
  if (found.length === 0 && filled) found.push('consumed');
  if (gasless.isCredited(fundingKey)) found.push('credited');
  return found;
}
