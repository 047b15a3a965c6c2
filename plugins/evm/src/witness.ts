import type { BlockRef, DepositObservation, Sighting } from '@causeway/core';
import { type Provider, reports, type Testimony } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { type RangeKey, readRangeKey } from './deposit-addresses/funding-key.js';
import { readArrived } from './deposit-addresses/read-arrived.js';
import { ViewMoved } from './logs/view-moved.js';
import { isSwapDepositedLog } from './payer-swaps/paid-with.js';
import type { RpcBlock, RpcLog, RpcReceipt } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { CarriedIdReader } from './watch/carried-ids.js';
import { isDepositLog, isServed, observeDeposits } from './watch/deposit-logs.js';
import { type CarriedIds, isPlainKey, observePlain, type PlainReading } from './watch/plain-transfers.js';

/**
 * Invariant: a provider confirms a deposit only if it has the same block at that height and the same event in the
 * transaction's receipt.
 */
export async function testify(config: ChainConfig, provider: Provider, sighting: Sighting): Promise<Testimony> {
  const range = readRangeKey(sighting.fundingKey);
  if (range !== undefined) return testifyArrival(config, provider, sighting, range);
  const { rpc } = provider;
  const { height, id } = sighting.block;
  const [header, receipt] = await Promise.all([
    rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]),
    rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [sighting.transactionHash]),
  ]);
  if (header === null) return 'nothing';
  if (header.hash !== id) return 'different';
  if (receipt === null) return 'nothing';
  if (receipt.blockHash !== id || BigInt(receipt.status) !== 1n) return 'different';
  const plain = { ...config, chainId: config.facts.id, own: NONE, keeps: () => false };
  const block = { height, id, timestamp: 0 };
  const ids = await idsIn(plain, provider, sighting, receipt.logs);
  return reports(depositsIn(config, plain, receipt.logs, block, ids), sighting) ? 'same' : 'different';
}

/** Read only for a transfer past the depository's functions. */
async function idsIn(
  plain: PlainReading,
  provider: Provider,
  { fundingKey }: Sighting,
  logs: readonly RpcLog[],
): Promise<CarriedIds> {
  return isPlainKey(fundingKey) ? new CarriedIdReader(plain).read(provider, logs) : new Map();
}

/** Confirmed if the cumulative sum at that block reaches the end of the range. */
async function testifyArrival(
  { depositAddresses }: ChainConfig,
  provider: Provider,
  { block: { height, id }, amount }: Sighting,
  { address, currency, from, to }: RangeKey,
): Promise<Testimony> {
  if (depositAddresses === undefined || amount !== to - from) return 'different';
  const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]);
  if (block === null) return 'nothing';
  if (block.hash !== id) return 'different';
  const asked = { addresses: [address], tokens: [currency] };
  const read = await readArrived(provider, depositAddresses, asked, { height, id: block.hash }).catch(unlessMoved);
  const arrived = read?.get(currency)?.[0];
  if (arrived === undefined) return 'nothing';
  return arrived >= to ? 'same' : 'different';
}

/** The provider does not have the block's state, now or any more. */
function unlessMoved(error: unknown): undefined {
  if (!(error instanceof ViewMoved)) throw error;
}

function depositsIn(
  config: ChainConfig,
  plain: PlainReading,
  logs: readonly RpcLog[],
  block: BlockRef,
  ids: CarriedIds,
): readonly DepositObservation[] {
  const { facts, depository, swapEntry } = config;
  const ours = logs.filter((log) => isDepositLog(depository, log) || isSwapDepositedLog(swapEntry, log));
  const made = observeDeposits(facts.id, ours, () => block, -1, swapEntry).filter((one) => isServed(config, one));
  return [...made, ...observePlain(plain, logs, () => block, -1, ids)];
}

const NONE: ReadonlySet<string> = new Set();
