import type { Hex, LegInstruction, LegPaid } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { depositAddressesAbi, depositoryAbi, routerAbi } from './abi.js';
import { asHex } from './addresses.js';
import type { MoneyLeg } from './calls.js';
import type { ChainConfig } from './chain-config.js';
import { endOf, SWEPT, sweptOf } from './deposit-addresses/swept.js';
import { broughtTo, eventOf } from './effects.js';
import { blockRef, finalizedBlock } from './finality.js';
import type { LogFilter } from './logs/log-filter.js';
import { logsBackwards } from './logs/range-logs.js';
import { Spans } from './logs/spans.js';
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { topicOf } from './watch/plain-transfers.js';

/** In multiples of `watch.maxRange` blocks from the head. */
const MAX_RANGES = 200;

/**
 * The contracts record the single use of a leg permanently and emit an indexed event.
 * @throws when the use is spent and its event is out of the search range or missing.
 */
export function paidBy(config: ChainConfig, providers: Providers, leg: LegInstruction): Promise<LegPaid | undefined> {
  // Nothing on the chain names a call: it is not made again after a loss.
  if (leg.kind === 'call') return Promise.resolve(undefined);
  return providers.run(async (provider) => {
    const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
    const { contract, data, isSpent } = question(config, leg);
    const answer = await provider.rpc.request<Hex>('eth_call', [{ to: contract, data }, quantity(head)]);
    if (answer.length !== 66) throw new Error(`the contract of ${leg.legId} did not answer at block ${head}`);
    if (!isSpent(BigInt(answer))) return undefined;
    const log = await find(config, provider, leg, contract, head);
    if (log === undefined) throw new Error(`${leg.legId} is spent by a transaction that cannot be found`);
    const [paid, brought] = await Promise.all([
      report(config, provider, leg, log, head),
      leg.kind === 'collect' || leg.kind === 'sweep' ? undefined : broughtIn(config, provider, leg, log),
    ]);
    return { ...paid, ...(brought === undefined ? {} : { brought }) };
  });
}

interface Question {
  readonly contract: Hex;
  readonly data: Hex;
  isSpent(answer: bigint): boolean;
}

const isSet = (answer: bigint): boolean => answer !== 0n;

function question(config: ChainConfig, leg: MoneyLeg): Question {
  if (leg.kind === 'sweep') {
    const args = [asHex(leg.from.address), asHex(leg.currency)] as const;
    return {
      contract: factoryOf(config, leg),
      data: encodeFunctionData({ abi: depositAddressesAbi, functionName: 'swept', args }),
      isSpent: (total) => total >= endOf(leg),
    };
  }
  return leg.kind === 'fill'
    ? {
        contract: config.router,
        data: encodeFunctionData({ abi: routerAbi, functionName: 'filled', args: [leg.orderId] }),
        isSpent: isSet,
      }
    : {
        contract: config.depository,
        data: encodeFunctionData({ abi: depositoryAbi, functionName: 'used', args: [leg.useKey] }),
        isSpent: isSet,
      };
}

async function find(
  config: ChainConfig,
  provider: Provider,
  leg: MoneyLeg,
  address: Hex,
  head: number,
): Promise<RpcLog | undefined> {
  const { maxRange } = config.watch;
  const floor = Math.max(0, head - MAX_RANGES * maxRange + 1);
  const { topics, isOf } = searched(leg);
  for await (const logs of logsBackwards(provider, new Spans(maxRange), { address, topics }, head, floor)) {
    const log = logs.find(isOf);
    if (log !== undefined) return log;
  }
  return undefined;
}

interface Searched {
  readonly topics: LogFilter['topics'];
  isOf(log: RpcLog): boolean;
}

/** The event to search for; of the sweeps of an address, the one with which the transfer's last unit left. */
function searched(leg: MoneyLeg): Searched {
  if (leg.kind !== 'sweep') return { topics: eventOf(leg).topics, isOf: () => true };
  const end = endOf(leg);
  return {
    topics: [SWEPT, topicOf(leg.from.address)],
    isOf: (log) => {
      const { currency, amount, total } = sweptOf(log);
      return currency === leg.currency && total >= end && total - amount < end;
    },
  };
}

function factoryOf({ depositAddresses }: ChainConfig, { legId }: MoneyLeg): Hex {
  if (depositAddresses === undefined) throw new Error(`${legId}: this chain has no deposit addresses`);
  return depositAddresses;
}

async function broughtIn(
  config: ChainConfig,
  provider: Provider,
  leg: Exclude<MoneyLeg, { kind: 'sweep' }>,
  { transactionHash, blockHash }: RpcLog,
): Promise<LegPaid['brought']> {
  const receipt = await provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [transactionHash]);
  if (receipt === null || receipt.blockHash !== blockHash)
    throw new Error(`the chain moved while ${leg.legId} was looked up`);
  return broughtTo(config, receipt, leg);
}

async function report(
  config: ChainConfig,
  provider: Provider,
  leg: MoneyLeg,
  log: RpcLog,
  head: number,
): Promise<LegPaid> {
  const [block, transaction, finalized] = await Promise.all([
    provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [log.blockNumber, false]),
    provider.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [log.transactionHash]),
    finalizedBlock(provider, config.finality, head),
  ]);
  if (block === null || block.hash !== log.blockHash || transaction === null)
    throw new Error(`the chain moved while ${leg.legId} was looked up`);
  const ref = blockRef(block);
  return {
    hash: log.transactionHash,
    block: ref,
    final: ref.height <= finalized.height,
    sender: transaction.from.toLowerCase(),
    ...(leg.kind === 'sweep'
      ? { currency: leg.currency, recipient: config.depository, moved: leg.amount }
      : eventOf(leg).read(log)),
  };
}
