import type { BlockRef, DepositObservation } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import type { Arrivals } from '../coins/arrivals.js';
import type { Coins } from '../coins/coin.js';
import type { ConfirmedCoin } from '../coins/scan.js';
import { fundingKeyOf } from '../funding-key.js';
import { blockHash, OddTransaction, transaction, ViewMoved } from '../rpc/node.js';
import { prevouts } from '../rpc/prevouts.js';
import { type Cursor, tip } from './cursor.js';
import type { DepositAddressScripts } from './deposit-addresses.js';
import { blockAt } from './heads.js';
import { type DepositReading, readDeposits } from './read-deposits.js';

export interface ArrivalDeps extends DepositReading {
  readonly addresses: Pick<DepositAddressScripts, 'sync' | 'recorded'>;
  readonly arrivals: Pick<Arrivals, 'size' | 'upTo' | 'settle' | 'onAdded'>;
  readonly coins: Pick<Coins, 'get'>;
}

export interface ArrivalReport {
  readonly deposits: readonly DepositObservation[];
  /** Outputs that are done once these deposits are recorded. */
  readonly settled: readonly ConfirmedCoin[];
  /** False: some could not be read now. */
  readonly isWhole: boolean;
}

/** Outputs per batch. */
const MAX_ARRIVALS_PER_PASS = 100;

/**
 * Deposits at addresses, in processed blocks, that the ledger does not know.
 *
 * Invariant: they are on the branch of the cursor, so a reorg below them rewinds the cursor, and they are reported
 * again.
 *
 * @throws ViewMoved if the node is not on that branch.
 */
export async function reportArrivals(
  deps: ArrivalDeps,
  provider: Provider,
  cursor: Cursor,
  finalized: number,
): Promise<ArrivalReport> {
  const { chainId, addresses, arrivals, coins } = deps;
  const newest = tip(cursor);
  const all = arrivals.upTo(newest.height, MAX_ARRIVALS_PER_PASS);
  const recorded = await addresses.recorded([...new Set(all.map(({ own }) => own.address))]);
  const isNew = (coin: ConfirmedCoin): boolean => {
    const known = recorded.get(fundingKeyOf(chainId, coin));
    // Undefined if it was spent since, or is in another block, which is then read like any other.
    return (known === undefined || known.state === 'mempool') && coins.get(coin)?.height === coin.height;
  };
  const news = all.filter(isNew);
  const byTransaction = new Map<string, ConfirmedCoin[]>();
  for (const coin of news) byTransaction.set(coin.txid, [...(byTransaction.get(coin.txid) ?? []), coin]);
  await mustFollow(provider, newest);
  const reads = await Promise.all(
    [...byTransaction].map(([txid, outputs]) => read(deps, provider, txid, outputs, finalized)),
  );
  await mustFollow(provider, newest);
  const unread = new Set([...byTransaction.values()].filter((_, n) => reads[n] === undefined).flat());
  return {
    deposits: reads.flatMap((one) => one ?? []),
    settled: all.filter((coin) => !unread.has(coin)),
    isWhole: unread.size === 0,
  };
}

async function mustFollow(provider: Provider, { height, id }: Pick<BlockRef, 'height' | 'id'>): Promise<void> {
  if ((await blockHash(provider, height)) !== id) throw new ViewMoved(`block ${height} is not that one any more`);
}

/** Undefined: cannot be read now. */
async function read(
  deps: ArrivalDeps,
  provider: Provider,
  txid: string,
  outputs: readonly ConfirmedCoin[],
  finalized: number,
): Promise<readonly DepositObservation[] | undefined> {
  const [{ height } = { height: 0 }] = outputs;
  try {
    const block = await blockAt(provider, height, 'header');
    const tx = await transaction(provider, txid, block.id);
    if (tx === undefined) return undefined;
    const state = height <= finalized ? 'final' : 'included';
    const wanted = new Set(outputs.map((output) => fundingKeyOf(deps.chainId, output)));
    const all = readDeposits(deps, tx, await prevouts(provider, tx, block.id), { state, block });
    return all.filter(({ fundingKey }) => wanted.has(fundingKey));
  } catch (error) {
    if (error instanceof RpcError || error instanceof ViewMoved || error instanceof OddTransaction) return undefined;
    throw error;
  }
}
