import type { BlockRef, DepositObservation } from '@causeway/core';
import { fundingKeyOf } from '../funding-key.js';
import { type BlockInterest, outpointText, type ScannedBlock } from '../raw/block.js';
import type { RawTransaction } from '../raw/transaction.js';
import type { Node } from '../rpc/node.js';
import { prevouts } from '../rpc/prevouts.js';
import type { Blocks } from './blocks.js';
import type { Mark, Waiting } from './cursor.js';
import { type DepositReading, mayDeposit, readDeposits } from './read-deposits.js';

export interface BlockDeposits {
  readonly mark: Mark;
  readonly parentId: string;
  /** Made impossible by a conflicting transaction in this block. */
  readonly vanished: readonly DepositObservation[];
  readonly included: readonly DepositObservation[];
  /** Still waiting after the block, or until a conflict is final. */
  readonly waiting: readonly Waiting[];
}

export interface BlockReading extends DepositReading {
  readonly blocks: Blocks;
}

/**
 * Reads a block's deposits and detects waiting ones that can never confirm: another transaction in it spends an
 * output that they or their ancestors need.
 */
export async function readBlock(
  reading: BlockReading,
  node: Node,
  { height, id }: Mark,
  waiting: readonly Waiting[],
  finalized: number,
): Promise<BlockDeposits> {
  const { scripts, blocks } = reading;
  const needed = new Set(waiting.flatMap(({ needs, rival }) => (rival === null ? needs : [])));
  const interest: BlockInterest = { pays: (script) => scripts.has(script), spends: (outpoint) => needed.has(outpoint) };
  const block = await blocks.scan(node, id, interest);
  const ref: BlockRef = { height, id, timestamp: block.timestamp };
  const state = height <= finalized ? 'final' : 'included';
  const included = await Promise.all(
    block.found.map(async (tx) => {
      if (!mayDeposit(reading, tx)) return [];
      return readDeposits(reading, tx, await prevouts(node, tx, id), { state, block: ref });
    }),
  );
  const { gone, left } = judge(waiting, block);
  const rivalOf = (hash: string): DepositObservation['rival'] => ({ hash, block: ref });
  return {
    mark: { height, id },
    parentId: block.parentId,
    vanished: gone.flatMap(({ one, rival }) => vanishedDeposits(reading, one, rivalOf(rival))),
    included: included.flat(),
    waiting: [...left, ...gone.map(({ one }) => ({ ...one, rival: { height, id } }))],
  };
}

function judge(waiting: readonly Waiting[], { found }: ScannedBlock) {
  if (waiting.length === 0) return { gone: [], left: [] };
  const landed = new Set(found.map(({ txid }) => txid));
  const spenders = new Map(found.flatMap((tx) => spentBy(tx).map((outpoint) => [outpoint, tx.txid] as const)));
  const open = waiting.filter(({ txid }) => !landed.has(txid));
  const rivalOf = ({ needs, family }: Waiting): string | undefined => {
    for (const outpoint of needs) {
      const spender = spenders.get(outpoint);
      if (spender !== undefined && !family.includes(spender)) return spender;
    }
    return undefined;
  };
  const gone: { readonly one: Waiting; readonly rival: string }[] = [];
  const left: Waiting[] = [];
  for (const one of open) {
    const rival = one.rival === null ? rivalOf(one) : undefined;
    if (rival === undefined) left.push(one);
    else gone.push({ one, rival });
  }
  return { gone, left };
}

/** As in `Waiting.needs`. */
export function spentBy({ inputs }: Pick<RawTransaction, 'inputs'>): string[] {
  return inputs.map(({ txid, vout }) => outpointText(txid, vout));
}

/** Built from the key alone: the chain has nothing else left of it. */
export function vanishedDeposits(
  { chainId }: DepositReading,
  { txid, vouts }: Waiting,
  rival?: DepositObservation['rival'],
): readonly DepositObservation[] {
  return vouts.map(([vout = 0, ...more]) => ({
    fundingKey: fundingKeyOf(chainId, { txid, vout }, more),
    chainId,
    transactionHash: txid,
    currency: '',
    amount: 0n,
    depositor: '',
    orderId: null,
    depositAddress: null,
    state: 'vanished',
    block: null,
    ...(rival === undefined ? {} : { rival }),
  }));
}
