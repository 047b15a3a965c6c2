import type { DepositBatch, DepositObservation, Wanted } from '../../../contract/deposits.js';
import type { BlockRef } from '../../../contract/ids.js';
import type { ExecutionObservation } from '../../../contract/payer-swaps.js';
import type { FakeBlock } from '../block-tree.js';
import { type FakeProvider, NoAnswer, OddAnswer } from '../fake-provider.js';
import { AddressWatch, earlier, observed, type WatchedAddresses } from './address-watch.js';
import { type Cursor, type Mark, readCursor, writeCursor } from './cursor.js';
import { sentBy } from './nonce-mappings.js';
import { EMPTY_POOL_NEWS, followPool } from './pool-watch.js';
import type { AdapterParts, FakeConfig } from './setup.js';
import { shownOf } from './shown.js';

const RETRY_MS = 100;

interface Step {
  readonly cursor: Cursor;
  readonly batch: DepositBatch;
  readonly unfinished: boolean;
  /** Addresses whose earlier transfers are in the batch. */
  readonly found: Iterable<string>;
}

/**
 * See `ChainAdapter.watchDeposits`. Each call reads one provider consistently.
 *
 * Invariant: a block counts as processed only when the provider that named it has shown all of its events.
 */
export async function* followDeposits(
  parts: AdapterParts,
  text: string | undefined,
  signal: AbortSignal,
  wanted?: Wanted,
): AsyncGenerator<DepositBatch> {
  const { feed, providers, clock, config, log } = parts;
  const book = config.derive && wanted?.addresses && new AddressWatch(wanted.addresses);
  let cursor = text === undefined ? undefined : readCursor(text);
  let finalized: BlockRef | undefined;
  let seen: unknown;
  const end = (): void => feed.release();
  signal.addEventListener('abort', end);
  try {
    while (!signal.aborted) {
      const news = feed.current;
      if (news === undefined || news === seen) {
        await feed.next();
        continue;
      }
      let addresses: WatchedAddresses | undefined;
      if (book !== undefined) {
        try {
          addresses = await book.next();
        } catch (error) {
          log?.warn({ chainId: config.facts.id, err: error }, 'the deposit addresses are not known');
          await clock.sleep(RETRY_MS, signal);
          continue;
        }
      }
      try {
        const before = cursor;
        const last = finalized;
        const known = addresses;
        const step = await providers.call(news.provider, 'scan', (node) => scan(node, config, before, last, known));
        if (step === undefined) {
          seen = news;
          continue;
        }
        ({ cursor } = step);
        finalized = step.batch.finalized;
        if (!step.unfinished) seen = news;
        yield step.batch;
        book?.found(step.found);
        if (step.unfinished) await clock.sleep(RETRY_MS, signal);
      } catch (error) {
        if (!(error instanceof NoAnswer || error instanceof OddAnswer)) throw error;
        feed.poke();
        await clock.sleep(RETRY_MS, signal);
      }
    }
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function refOf({ height, id, timestamp }: BlockRef): BlockRef {
  return { height, id, timestamp };
}

/** Undefined when the head is already processed. */
function scan(
  node: FakeProvider,
  config: FakeConfig,
  cursor: Cursor | undefined,
  before: BlockRef | undefined,
  addresses: WatchedAddresses | undefined,
): Step | undefined {
  const { rules, tree } = node.core;
  const { head } = node;
  const {
    facts: { id: chainId },
    currencies,
  } = config;
  const isServed = ({ currency }: Pick<DepositObservation, 'currency'>): boolean => currencies.has(currency);
  if (cursor === undefined) {
    const finalized = refOf(later(node.finalized, before));
    const past = arrivedBefore(node, head, addresses, finalized.height);
    const { waiting, news } = rules.publicPool
      ? followPool(node, [], [], { config, finalized: 0, isServed, watched: addresses?.watched })
      : EMPTY_POOL_NEWS;
    const next: Cursor = { marks: [head], waiting };
    const deposits = [...news, ...past.deposits.filter(isServed)];
    const batch = { cursor: writeCursor(next), head: refOf(head), finalized, deposits };
    return { cursor: next, batch, unfinished: past.unfinished, found: past.found };
  }
  const tip = cursor.marks[cursor.marks.length - 1] as Mark;
  const ancestor = commonAncestor(node, cursor);
  if (ancestor === undefined) return undefined;
  const rewound = ancestor.height < tip.height;
  const { to, blocks } = readable(node, ancestor.height);
  const charges = node.core.contracts.takingCosts(config.facts.currency.address) > 0n;
  const known = charges && node.eventHead.height < to.height ? node.eventHead : to;
  const finalBlock = node.finalized.height <= known.height ? node.finalized : known;
  const finalized = refOf(later(finalBlock, before));
  const again = charges ? becameFinal(node, cursor, Math.min(ancestor.height, finalized.height)) : [];
  const past = arrivedBefore(node, tree.ancestor(node.head, ancestor.height), addresses, finalized.height);
  const unfinished = to !== head || past.unfinished;
  const deposits = [
    ...past.deposits,
    ...[...again, ...blocks].flatMap((block) => observe(block, config, finalized.height, addresses)),
  ].filter(isServed);
  const executions = blocks.flatMap((block) =>
    block.executions.map(
      ({ hash, block: { height, id, timestamp }, ...own }): ExecutionObservation => ({
        ...own,
        chainId,
        transactionHash: hash,
        state: height <= finalized.height ? 'final' : 'included',
        block: { height, id, timestamp },
      }),
    ),
  );
  const unread = blocks.flatMap((block) =>
    block.riddles.map(({ hash }) => ({ transactionHash: hash, block: refOf(block), why: 'a riddle' })),
  );
  const marks = [
    ...(rewound ? cursor.marks.filter(({ height }) => height <= ancestor.height) : cursor.marks),
    ...blocks,
  ];
  const waited = cursor.waiting.map((one) =>
    one.rival !== null && one.rival.height > ancestor.height ? { ...one, rival: null } : one,
  );
  const unconfirmed = rules.publicPool
    ? followPool(node, waited, blocks, { config, finalized: finalized.height, isServed, watched: addresses?.watched })
    : EMPTY_POOL_NEWS;
  // A replaced deposit is reported as vanished first.
  deposits.unshift(...unconfirmed.news);
  const next: Cursor = {
    marks: trimmed(marks.length > 0 ? marks : [ancestor], finalized.height),
    waiting: unconfirmed.waiting,
  };
  const batch = {
    cursor: writeCursor(next),
    head: refOf(to),
    finalized,
    deposits,
    readFrom: ancestor.height,
    ...(rewound ? { rewoundTo: ancestor.height } : {}),
    ...(unread.length > 0 ? { unread } : {}),
    ...(executions.length > 0 ? { executions } : {}),
  };
  return { cursor: next, batch, unfinished, found: past.found };
}

/**
 * Blocks whose deposits were reported before finality; their cost arrives now. The oldest mark is the last final
 * block or the starting head.
 */
function becameFinal(node: FakeProvider, { marks: [oldest] }: Cursor, to: number): readonly FakeBlock[] {
  const from = oldest?.height ?? to;
  const { tree } = node.core;
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => tree.ancestor(node.head, from + 1 + n));
}

function later(block: BlockRef, before: BlockRef | undefined): BlockRef {
  return before !== undefined && before.height > block.height ? before : block;
}

/** The newest mark on the provider's branch; undefined when the provider merely lags. */
function commonAncestor(node: FakeProvider, cursor: Cursor): Mark | undefined {
  const { tree } = node.core;
  const { head } = node;
  const tip = cursor.marks[cursor.marks.length - 1] as Mark;
  let contradicted = false;
  for (let n = cursor.marks.length - 1; n >= 0; n -= 1) {
    const mark = cursor.marks[n] as Mark;
    if (mark.height > head.height) continue;
    if (tree.ancestor(head, mark.height).id === mark.id) {
      return head.height < tip.height && !contradicted ? undefined : mark;
    }
    contradicted = true;
  }
  const oldest = cursor.marks[0] as Mark;
  if (head.height < oldest.height) return undefined;
  // Replaced below all marks: beyond finality, everything is reported again.
  return tree.ancestor(head, oldest.height - 1);
}

/** Blocks above `from` up to the first one with missing events. */
function readable(node: FakeProvider, from: number): { readonly to: FakeBlock; readonly blocks: readonly FakeBlock[] } {
  const { head, eventHead } = node;
  let blocks: FakeBlock[] = [];
  for (let at = head; at.height > from; at = at.parent as FakeBlock) {
    blocks.push(at);
    // The header reveals deposits, like a bloom filter.
    const reports = at.deposits.length + at.strays.length + at.riddles.length + at.transfers.length > 0;
    if (at.height > eventHead.height && reports) blocks = [];
  }
  blocks.reverse();
  const last = blocks[blocks.length - 1];
  return { to: last ?? node.core.tree.ancestor(head, from), blocks };
}

interface Past {
  readonly deposits: readonly DepositObservation[];
  readonly found: Iterable<string>;
  readonly unfinished: boolean;
}

/** Transfers to fresh addresses up to a block. */
function arrivedBefore(
  node: FakeProvider,
  to: FakeBlock,
  addresses: WatchedAddresses | undefined,
  finalized: number,
): Past {
  if (addresses === undefined) return { deposits: [], found: [], unfinished: false };
  const transfers = earlier(node, to, addresses);
  if (transfers === undefined) return { deposits: [], found: [], unfinished: true };
  const { chainId } = node.core.contracts;
  const deposits = transfers.map((one) => observed(one, chainId, finalized));
  return { deposits, found: addresses.fresh, unfinished: false };
}

function observe(
  block: FakeBlock,
  config: FakeConfig,
  finalized: number,
  addresses: WatchedAddresses | undefined,
): DepositObservation[] {
  const ref = refOf(block);
  const strays = new Set(block.strays);
  const atAddresses = block.transfers
    .filter(({ to }) => addresses?.watched.has(to))
    .map((one) => observed(one, config.facts.id, finalized));
  const atDepository = [...block.deposits, ...block.strays].map((deposit) => ({
    ...(strays.has(deposit) ? { stray: true as const } : {}),
    fundingKey: deposit.fundingKey,
    chainId: config.facts.id,
    transactionHash: deposit.hash,
    currency: deposit.currency,
    amount: deposit.amount,
    ...(deposit.paid === undefined ? {} : { paid: deposit.paid }),
    depositor: deposit.depositor,
    orderId: shownOf(config, deposit.orderId),
    depositAddress: null,
    ...sentBy(config, block, deposit),
    ...(block.height <= finalized
      ? { state: 'final' as const, ...(deposit.cost === undefined ? {} : { cost: deposit.cost }) }
      : { state: 'included' as const }),
    block: ref,
  }));
  return [...atDepository, ...atAddresses];
}

/** Keeps marks that a reorg can reach and the newest final one. */
function trimmed(marks: readonly Mark[], finalized: number): readonly Mark[] {
  let from = 0;
  for (let n = 0; n < marks.length; n += 1) if ((marks[n] as Mark).height <= finalized) from = n;
  return from === 0 ? marks : marks.slice(from);
}
