import type { DepositObservation } from '../../../contract/deposits.js';
import type { BlockRef } from '../../../contract/ids.js';
import { fundingKeyOf, transferKeyOf } from '../block-maker.js';
import type { FakeBlock } from '../block-tree.js';
import type { FakeProvider } from '../fake-provider.js';
import type { FakeTransaction } from '../transaction.js';
import type { Waiting } from './cursor.js';
import type { FakeConfig } from './setup.js';
import { shownOf } from './shown.js';

interface PoolNews {
  readonly waiting: readonly Waiting[];
  readonly news: readonly DepositObservation[];
}

interface PoolWish {
  readonly config: FakeConfig;
  readonly finalized: number;
  isServed(seen: DepositObservation): boolean;
  /** Deposit addresses. */
  readonly watched: ReadonlyMap<string, unknown> | undefined;
}

export const EMPTY_POOL_NEWS: PoolNews = { waiting: [], news: [] };

/**
 * Unconfirmed deposits, from the pool and new blocks.
 *
 * Invariant: leaving the pool proves nothing. A deposit vanishes when a block spends its inputs and is remembered
 * until that block is final: a reorg makes it wait again, and a rival in another block is reported again. A
 * replacement for the same order is reported in its own block.
 */
export function followPool(
  node: FakeProvider,
  waiting: readonly Waiting[],
  blocks: readonly FakeBlock[],
  { config, finalized, isServed, watched }: PoolWish,
): PoolNews {
  const chainId = config.facts.id;
  const isLanded = ({ fundingKey }: Waiting): boolean =>
    node.core.tree.receipt(node.head, hashOf(fundingKey)) !== undefined;
  const spenders = spendersIn(blocks);
  const left: Waiting[] = [];
  const news: DepositObservation[] = [];
  for (const one of waiting) {
    if (isLanded(one) || (one.rival !== null && one.rival.height <= finalized)) continue;
    const found = one.rival === null ? rivalOf(one, spenders) : undefined;
    if (found === undefined) left.push(one);
    else {
      const { height, id, timestamp } = found.block;
      if (height > finalized) left.push({ ...one, rival: { height, id } });
      news.push(vanished(one.fundingKey, chainId, { hash: found.hash, block: { height, id, timestamp } }));
    }
  }
  if (node.poolBlind) return { waiting: left, news };
  const known = new Set(left.map(({ fundingKey }) => fundingKey));
  for (const transaction of node.core.pool.all()) {
    const seen = [...depositsOf(transaction, config), ...transfersOf(transaction, config, watched)].filter(
      (one) => !known.has(one.fundingKey) && isServed(one),
    );
    if (seen.length === 0 || node.core.tree.receipt(node.head, transaction.hash) !== undefined) continue;
    const family = ancestorsOf(node, transaction);
    const needs = [...new Set([transaction, ...family].flatMap(({ inputs }) => inputs))];
    for (const one of seen) {
      const isReplacement = left.some(
        (other) =>
          (one.orderId === null
            ? one.depositAddress !== null && other.address === one.depositAddress
            : other.orderId === one.orderId) && other.needs.some((need) => needs.includes(need)),
      );
      if (isReplacement) continue;
      const { fundingKey, orderId, depositAddress } = one;
      const paid = depositAddress === null ? { orderId } : { orderId, address: depositAddress };
      left.push({ fundingKey, ...paid, needs, family: family.map(({ hash }) => hash), rival: null });
      news.push(one);
    }
  }
  return { waiting: left, news };
}

interface Spender {
  readonly hash: string;
  readonly block: BlockRef;
}

function spendersIn(blocks: readonly FakeBlock[]): ReadonlyMap<string, Spender> {
  const spenders = new Map<string, Spender>();
  for (const block of blocks) {
    for (const { transaction } of block.receipts)
      for (const input of transaction.inputs) spenders.set(input, { hash: transaction.hash, block });
  }
  return spenders;
}

function rivalOf({ needs, family }: Waiting, spenders: ReadonlyMap<string, Spender>): Spender | undefined {
  for (const need of needs) {
    const spender = spenders.get(need);
    if (spender !== undefined && !family.includes(spender.hash)) return spender;
  }
  return undefined;
}

function ancestorsOf(node: FakeProvider, { inputs }: FakeTransaction): readonly FakeTransaction[] {
  return inputs.flatMap((input) => {
    const parent = node.core.pool.get(input.slice(0, input.indexOf(':')));
    return parent === undefined ? [] : [parent, ...ancestorsOf(node, parent)];
  });
}

function depositsOf(transaction: FakeTransaction, config: FakeConfig): DepositObservation[] {
  const found: DepositObservation[] = [];
  for (const action of transaction.actions) {
    if (action.do !== 'deposit' || action.stray) continue;
    const { currency, amount, depositor, orderId } = action;
    found.push({
      fundingKey: fundingKeyOf(transaction, found.length),
      chainId: config.facts.id,
      transactionHash: transaction.hash,
      currency,
      amount,
      depositor,
      orderId: shownOf(config, orderId),
      depositAddress: null,
      state: 'mempool',
      block: null,
    });
  }
  return found;
}

function transfersOf(
  transaction: FakeTransaction,
  { facts }: FakeConfig,
  watched: PoolWish['watched'],
): DepositObservation[] {
  return transaction.actions.flatMap((action, n) => {
    if (action.do !== 'transfer' || action.amount === 0n || watched?.has(action.to) !== true) return [];
    const { currency, amount, to } = action;
    const fundingKey = transferKeyOf(transaction, n, 0);
    const named = { fundingKey, chainId: facts.id, transactionHash: transaction.hash, depositor: transaction.from };
    const paid = { currency, amount, orderId: null, depositAddress: to };
    return [{ ...named, ...paid, state: 'mempool' as const, block: null }];
  });
}

function hashOf(fundingKey: string): string {
  return fundingKey.split(':')[1] ?? '';
}

/** Only the key identifies it: the chain has nothing else left. */
function vanished(fundingKey: string, chainId: number, rival: DepositObservation['rival']): DepositObservation {
  return {
    fundingKey,
    chainId,
    transactionHash: hashOf(fundingKey),
    currency: '',
    amount: 0n,
    depositor: '',
    orderId: null,
    depositAddress: null,
    state: 'vanished',
    block: null,
    ...(rival === undefined ? {} : { rival }),
  };
}
