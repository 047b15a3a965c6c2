import type { Hex, LegInstruction, LegPaid } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import { encodeFunctionData } from 'viem/utils';
import { depositoryAbi, routerAbi } from './abi.js';
import type { ChainConfig } from './chain-config.js';
import { broughtTo, eventOf } from './effects.js';
import { blockRef, finalizedBlock } from './finality.js';
import { logsBackwards } from './logs/range-logs.js';
import { Spans } from './logs/spans.js';
import type { RpcBlock, RpcLog, RpcReceipt, RpcTransaction } from './rpc/types.js';
import { quantity } from './rpc/types.js';

/** In multiples of `watch.maxRange` blocks from the head. */
const MOST_RANGES = 200;

/**
 * The contracts record the single use of a leg permanently and emit an indexed event.
 * @throws when the use is spent and its event is out of the search range or missing.
 */
export function paidBy(config: ChainConfig, providers: Providers, leg: LegInstruction): Promise<LegPaid | undefined> {
  return providers.run(async (provider) => {
    const head = Number(await provider.rpc.request<Hex>('eth_blockNumber'));
    const { contract, data } = question(config, leg);
    const answer = await provider.rpc.request<Hex>('eth_call', [{ to: contract, data }, quantity(head)]);
    if (answer.length !== 66) throw new Error(`the contract of ${leg.legId} did not answer at block ${head}`);
    if (BigInt(answer) === 0n) return undefined;
    const log = await find(config, provider, leg, contract, head);
    if (log === undefined) throw new Error(`${leg.legId} is spent by a transaction that cannot be found`);
    const [paid, brought] = await Promise.all([
      report(config, provider, leg, log, head),
      leg.kind === 'collect' ? undefined : broughtIn(config, provider, leg, log),
    ]);
    return { ...paid, ...(brought === undefined ? {} : { brought }) };
  });
}

function question(config: ChainConfig, leg: LegInstruction): { readonly contract: Hex; readonly data: Hex } {
  return leg.kind === 'fill'
    ? {
        contract: config.router,
        data: encodeFunctionData({ abi: routerAbi, functionName: 'filled', args: [leg.orderId] }),
      }
    : {
        contract: config.depository,
        data: encodeFunctionData({ abi: depositoryAbi, functionName: 'used', args: [leg.useKey] }),
      };
}

async function find(
  config: ChainConfig,
  provider: Provider,
  leg: LegInstruction,
  address: Hex,
  head: number,
): Promise<RpcLog | undefined> {
  const { maxRange } = config.watch;
  const floor = Math.max(0, head - MOST_RANGES * maxRange + 1);
  const filter = { address, topics: eventOf(leg).topics };
  for await (const [log] of logsBackwards(provider, new Spans(maxRange), filter, head, floor))
    if (log !== undefined) return log;
  return undefined;
}

async function broughtIn(
  config: ChainConfig,
  provider: Provider,
  leg: LegInstruction,
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
  leg: LegInstruction,
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
    ...eventOf(leg).read(log),
  };
}
