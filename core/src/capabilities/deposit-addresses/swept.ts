import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { depositoryPot } from '../../domain/pots.js';
import type { EngineContext } from '../../engine/base/context.js';

const PAGE_ROWS = 5_000;

/** Whether the transfer is still at its deposit address and cannot be paid out of it. */
export function awaitsSweep(
  { chains }: Pick<EngineContext, 'chains'>,
  { chainId, depositAddress, sweptAt }: Pick<DepositRow, 'chainId' | 'depositAddress' | 'sweptAt'>,
): boolean {
  if (depositAddress === null || sweptAt !== null) return false;
  return chains.get(chainId)?.capabilities.depositAddresses?.sweeps === true;
}

/** In a block and still at its address. Only a sweep moves it. */
export function isUnswept(
  { capabilities }: Pick<ChainAdapter, 'capabilities'>,
  { depositAddress, sweptAt, state }: Pick<DepositRow, 'depositAddress' | 'sweptAt' | 'state'>,
): boolean {
  if (capabilities.depositAddresses?.sweeps !== true || depositAddress === null || sweptAt !== null) return false;
  return state === 'included' || state === 'final';
}

/** Transfers that no sweep has moved, oldest first. */
export async function unsweptRows(
  { store }: Pick<EngineContext, 'store'>,
  chain: ChainAdapter,
): Promise<readonly DepositRow[]> {
  const all: DepositRow[] = [];
  if (chain.capabilities.depositAddresses?.sweeps !== true) return all;
  for (let isLast = false; !isLast; ) {
    const rows = await store.unswept(chain.facts.id, all.at(-1) ?? { seenAt: 0, fundingKey: '' }, PAGE_ROWS);
    all.push(...rows);
    isLast = rows.length < PAGE_ROWS;
  }
  return all;
}

/** Sums of recorded transfers at deposit addresses, by address; smallest unit. */
async function unsweptOf(
  context: Pick<EngineContext, 'store'>,
  chain: ChainAdapter,
  currency: string,
): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const { depositAddress, currency: its, amount } of await unsweptRows(context, chain)) {
    if (depositAddress !== null && its === currency)
      sums.set(depositAddress, (sums.get(depositAddress) ?? 0n) + amount);
  }
  return sums;
}

/**
 * Balance behind the books' depository account: the depository and the deposit addresses. An address counts at most
 * with what the books expect there, so that other money compensates for no shortage.
 *
 * The depository is read first: a concurrent sweep is missing from the sum, never counted twice.
 *
 * @param enough if the depository alone holds this much, addresses are not read.
 */
export async function depositoryHolds(
  context: Pick<EngineContext, 'store'>,
  chain: ChainAdapter,
  currency: string,
  enough?: bigint,
): Promise<bigint> {
  const held = await chain.potBalance(depositoryPot(chain.facts.depository), currency);
  if (enough !== undefined && held >= enough) return held;
  const unswept = await unsweptOf(context, chain, currency);
  const balances = await chain.capabilities.depositAddresses?.held([...unswept.keys()], currency);
  let sum = held;
  for (const [n, booked] of [...unswept.values()].entries()) {
    const balance = balances?.[n] ?? 0n;
    sum += balance < booked ? balance : booked;
  }
  return sum;
}
