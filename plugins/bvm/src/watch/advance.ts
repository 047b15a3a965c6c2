import type { DepositObservation, Logger } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { blockHash, type Node, PrunedError, ViewMoved } from '../rpc/node.js';
import { type BlockDeposits, type BlockReading, readBlock } from './block-deposits.js';
import { type Cursor, extended, type Mark, tip, type Waiting } from './cursor.js';
import type { Head } from './heads.js';

export interface AdvanceDeps extends BlockReading {
  readonly mostBlocks: number;
  /** Used if the current provider pruned a block; blocks are self-authenticating. */
  readonly others: () => readonly Provider[];
  readonly log: Logger;
}

export interface Advanced {
  readonly cursor: Cursor;
  readonly deposits: readonly DepositObservation[];
  /** Undefined without a reorg. */
  readonly rewoundTo: number | undefined;
  /** All blocks above it up to the cursor's newest were read. */
  readonly readFrom: number;
}

/**
 * Reads blocks from the cursor towards the head. Undefined if the provider lags: its head is below every block that a
 * reorg could still replace.
 *
 * Invariant: each block names the previous one as its parent, starting from a processed block, so one reading is a
 * single branch without gaps.
 */
export async function advance(
  deps: AdvanceDeps,
  cursor: Cursor,
  head: Head,
  finalized: number,
): Promise<Advanced | undefined> {
  const { provider } = head;
  const last = tip(cursor);
  const ancestor = await commonAncestor(deps, cursor, head);
  if (ancestor === undefined) return undefined;
  const rewound = ancestor.height < last.height;
  const to = rewound ? head.height : Math.min(head.height, ancestor.height + deps.mostBlocks);
  const base = rewound ? kept(cursor.marks, ancestor) : cursor.marks;
  const added: Mark[] = [];
  const [vanished, included]: [DepositObservation[], DepositObservation[]] = [[], []];
  let waiting = cursor.waiting.map((one) =>
    one.rival !== null && one.rival.height > ancestor.height ? { ...one, rival: null } : one,
  );
  for (let before = ancestor; before.height < to; ) {
    const height = before.height + 1;
    const id = height === head.height ? head.id : await idAt(provider, height);
    const block = await readAnywhere(deps, provider, { height, id }, waiting, finalized);
    if (block.parentId !== before.id) throw new ViewMoved(`block ${height} does not follow the one that was read`);
    vanished.push(...block.vanished);
    included.push(...block.included);
    waiting = [...block.waiting];
    added.push(block.mark);
    before = block.mark;
  }
  return {
    cursor: {
      marks: extended(base, added, finalized),
      waiting: waiting.filter(({ rival }) => rival === null || rival.height > finalized),
    },
    // Vanished first, so that a replacement deposit finds its order free.
    deposits: [...vanished, ...included],
    rewoundTo: rewound ? ancestor.height : undefined,
    readFrom: ancestor.height,
  };
}

/** @throws PrunedError if no provider has it any more. */
async function readAnywhere(
  deps: AdvanceDeps,
  provider: Provider,
  mark: Mark,
  waiting: readonly Waiting[],
  finalized: number,
): Promise<BlockDeposits> {
  try {
    return await readBlock(deps, provider, mark, waiting, finalized);
  } catch (error) {
    if (!(error instanceof PrunedError)) throw error;
    for (const other of deps.others()) {
      if (other === provider) continue;
      const read = await readBlock(deps, other, mark, waiting, finalized).catch((reason: unknown) => {
        if (isUnlearnt(reason)) return undefined;
        throw reason;
      });
      if (read !== undefined) return read;
    }
    throw error;
  }
}

function isUnlearnt(error: unknown): boolean {
  const known = [PrunedError, ViewMoved, RpcError];
  return isTransportError(error) || known.some((kind) => error instanceof kind);
}

function kept(marks: readonly Mark[], ancestor: Mark): readonly Mark[] {
  const below = marks.filter(({ height }) => height <= ancestor.height);
  return below.length > 0 ? below : [ancestor];
}

async function idAt(node: Node, height: number): Promise<string> {
  const id = await blockHash(node, height);
  if (id === undefined) throw new ViewMoved(`block ${height} is not there any more`);
  return id;
}

/**
 * The newest mark on the head's chain. Undefined if the provider lags: the head is below the newest mark and
 * contradicts none at its height or below. Without any common mark, the reorg exceeds the cursor and reading restarts
 * below the oldest one.
 */
async function commonAncestor({ log }: AdvanceDeps, cursor: Cursor, head: Head): Promise<Mark | undefined> {
  const last = tip(cursor);
  if (head.parentId === last.id || head.id === last.id) return last;
  let contradicted = false;
  for (const mark of cursor.marks.filter(({ height }) => height <= head.height).reverse()) {
    const id = mark.height === head.height ? head.id : await blockHash(head.provider, mark.height);
    if (id === mark.id) return head.height < last.height && !contradicted ? undefined : mark;
    contradicted = true;
  }
  const oldest = cursor.marks[0]?.height ?? 0;
  if (head.height < oldest) return undefined;
  log.error({ height: oldest, head: head.height }, 'the chain was replaced below the oldest processed block');
  const below = Math.max(0, oldest - 1);
  return { height: below, id: await idAt(head.provider, below) };
}
