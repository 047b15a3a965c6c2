import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { valueMicroUsd } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { bookedMovements } from '../books/inclusion.js';
import { keptBack } from '../books/kept-back.js';

const MAX_ROWS_READ = 5_000;
const APP_BALANCES = 'appBalance:usd:';

/** Of one currency of a chain; smallest unit. `free` is what is left of `held` without all others. */
export interface Withdrawable {
  readonly signer: string;
  /** Of the filling lane: by the books, or by its chain where that shows less. */
  readonly held: bigint;
  /** For fills, claims and withdrawals that are not on their chain yet, and for fixed rates. */
  readonly reserved: bigint;
  /** Left to the signer for gas. */
  readonly gas: bigint;
  /** That undecided deposits and short fills will claim. */
  readonly promised: bigint;
  /** Owed to integrators and depositors, without the part that a depository backs. */
  readonly owed: bigint;
  /** Came from depositories, and a reorg may take it back. */
  readonly unfinal: bigint;
  readonly free: bigint;
}

/** Of one moment, for all currencies. */
export interface Debts {
  readonly pots: ReadonlyMap<string, bigint>;
  /** What deposits that are not decided yet will claim. */
  promised(chainId: number, currency: string): bigint;
}

export async function readDebts({ store }: Pick<EngineContext, 'store'>, promised: Debts['promised']): Promise<Debts> {
  const kinds = ['inventory:', 'depository:', 'owed:', 'held:', 'appFees:', 'claims:', '#reserved:', APP_BALANCES];
  const pots = await Promise.all(kinds.map((prefix) => store.pots(prefix)));
  return { pots: new Map(pots.flat().map(({ account: name, amount }) => [name, amount])), promised };
}

/**
 * What the operator may take of each currency of a chain. Undefined where more is under way than can be read.
 *
 * Invariant (G2, G12): what deposits, integrators and promises may still need stays. App fees and refunds are paid on the
 * chain and in the currency of their deposit, so each pair stands alone.
 */
export async function withdrawableOf(
  context: EngineContext,
  chain: ChainAdapter,
  debts: Debts,
): Promise<ReadonlyMap<string, Withdrawable> | undefined> {
  const { id: chainId } = chain.facts;
  const signer = laneFor(context, chainId, 'fill');
  const [unfinal, short] = await Promise.all([readUnfinal(context, chain, signer), readShort(context, chain, signer)]);
  if (unfinal === undefined || short === undefined) return undefined;
  const potOf = (name: string) => debts.pots.get(name) ?? 0n;
  return new Map(
    chain.currencies().map(({ address }) => {
      const booked = potOf(account.inventory(chainId, signer, address));
      const shown = chain.laneBalance(signer, address)?.value;
      const held = shown !== undefined && shown < booked ? shown : booked;
      const reserved = potOf(counter.reserved(chainId, signer, address));
      const gas = keptBack(context, chainId, address);
      const promised =
        /* guard: withdraw-never-promised */ debts.promised(chainId, address) + (short.get(address) ?? 0n);
      const owed = /* guard: withdraw-never-owed */ owedFromInventory(debts, chainId, address);
      const back = /* guard: withdraw-never-unfinal */ unfinal.get(address) ?? 0n;
      const left = held - /* guard: withdraw-never-reserved */ reserved - gas - promised - owed - back;
      const free = left > 0n ? left : 0n;
      return [address, { signer, held, reserved, gas, promised, owed, unfinal: back, free }];
    }),
  );
}

/** App fees, and what depositors are owed beyond their depository's balance. */
function owedFromInventory({ pots }: Debts, chainId: number, currency: string): bigint {
  let fees = -(pots.get(account.claims(chainId, currency)) ?? 0n);
  const [before, after] = [`appFees:${chainId}:`, `:${currency}`];
  for (const [name, amount] of pots) if (name.startsWith(before) && name.endsWith(after)) fees -= amount;
  const debt = -(pots.get(account.owed(chainId, currency)) ?? 0n) - (pots.get(account.held(chainId, currency)) ?? 0n);
  const missing = debt - (pots.get(account.depository(chainId, currency)) ?? 0n);
  return (fees > 0n ? fees : 0n) + (missing > 0n ? missing : 0n);
}

/** Collects, and gas charged for refunds, that are in a block and not final. */
async function readUnfinal(
  { store }: Pick<EngineContext, 'store'>,
  { facts, lanes }: ChainAdapter,
  signer: string,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  const sums = new Map<string, bigint>();
  for (const lane of lanes) {
    const open = await store.openKeys(facts.id, lane.signer, MAX_ROWS_READ);
    if (open.length === MAX_ROWS_READ) return undefined;
    for (const { kind, to, signer: by, currency, moved, arrived = moved, withheld = '0' } of open.flatMap(({ key }) =>
      bookedMovements(key),
    )) {
      if ((to ?? by) !== signer) continue;
      const amount = factsOf({ kind }).sentAs === 'collect' ? BigInt(arrived) : BigInt(withheld);
      sums.set(currency, (sums.get(currency) ?? 0n) + amount);
    }
  }
  return sums;
}

/** Fills that wait for inventory of the lane. */
async function readShort(
  { store }: Pick<EngineContext, 'store'>,
  { facts }: ChainAdapter,
  signer: string,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  const legs: readonly LegRow[] = await store.claimDue(facts.id, signer, Number.MAX_SAFE_INTEGER, MAX_ROWS_READ);
  if (legs.length === MAX_ROWS_READ) return undefined;
  const sums = new Map<string, bigint>();
  for (const { state, currency, amount } of legs)
    if (state === 'short') sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  return sums;
}

/** Micro-USD that integrators have in app balances. */
export function owedToAppBalances({ pots }: Debts): bigint {
  let sum = 0n;
  for (const [name, amount] of pots) if (name.startsWith(APP_BALANCES)) sum -= amount;
  return sum;
}

/** Micro-USD of what is free on all chains; rounded down, without what has no price. Undefined where it is not known. */
export async function freeMicroUsd(context: EngineContext, debts: Debts): Promise<bigint | undefined> {
  let sum = 0n;
  for (const chain of context.chains.values()) {
    const all = await withdrawableOf(context, chain, debts);
    if (all === undefined) return undefined;
    for (const currency of chain.currencies()) {
      const price = context.prices.price(currency);
      const free = all.get(currency.address)?.free ?? 0n;
      if (price.ok) sum += valueMicroUsd(free, currency.decimals, price.usd, 'floor');
    }
  }
  return sum;
}
