import type { BlockRef, Clock, DepositBatch, Hex, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import { finalizedBlock } from '../finality.js';
import type { RpcBlock, RpcLog } from '../rpc/types.js';
import { quantity } from '../rpc/types.js';
import { bloomMayContain } from './bloom.js';
import { type Cursor, extend, type Mark, marksWanted, readCursor, rewind, tip, writeCursor } from './cursor.js';
import { depositFilter, ERC20_DEPOSIT_TOPIC, NATIVE_DEPOSIT_TOPIC, observeDeposits } from './deposit-logs.js';
import { type Head, type Heads, headRef } from './heads.js';
import { headerAt, type Scan, scanRange, ViewMoved } from './scan.js';

export interface WatcherDeps {
  readonly config: ChainConfig;
  readonly providers: Providers;
  readonly feed: Heads;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Step {
  readonly cursor: Cursor;
  readonly batch: DepositBatch;
}

/** Final blocks that are read again together. */
const WORTH_A_QUERY = 8;

const RETRY_MS = [20, 50, 100, 250, 500, 1000] as const;

/**
 * Follows deposits from a cursor; see `ChainAdapter.watchDeposits`.
 *
 * Invariants: a block counts as processed only after the provider that named it (or a later head) has answered
 * for its logs, under its own hash. A block of another fork is never mixed in. Every block is read once more when it
 * is final: a node whose log index was late may have answered with nothing the first time.
 */
export async function* followDeposits(
  deps: WatcherDeps,
  text: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  let cursor = text === undefined ? undefined : readCursor(text);
  let finalized: BlockRef | undefined;
  let seen: Head | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const head = deps.feed.current;
    if (head === undefined || head === seen) {
      await deps.feed.changed(seen, signal);
      continue;
    }
    try {
      const made = await advance(deps, cursor, head, finalized);
      failures = 0;
      if (made === undefined) {
        seen = head;
        continue;
      }
      const step = await readAgain(deps, made);
      ({ cursor } = step);
      finalized = step.batch.finalized;
      if (tip(cursor).hash === head.id) seen = head;
      yield step.batch;
    } catch (error) {
      if (isTransportError(error)) deps.providers.failed(head.provider, error);
      else if (!(error instanceof RpcError || error instanceof ViewMoved)) throw error;
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000;
      failures += 1;
      if (failures > 3) deps.log.warn({ error: String(error), height: head.height }, 'deposits cannot be read yet');
      if (!isTransportError(error)) deps.feed.poke();
      await deps.clock.sleep(pause, signal);
    }
  }
}

/** One batch towards `head`; undefined when the head is one that was already processed and passed. */
async function advance(
  deps: WatcherDeps,
  cursor: Cursor | undefined,
  head: Head,
  before: BlockRef | undefined,
): Promise<Step | undefined> {
  const { provider } = head;
  const finalizing = finalizedBlock(provider, deps.config.finality, head.height).then((block) =>
    before !== undefined && before.height > block.height ? before : block,
  );
  // Whichever rejects first is thrown; the other must not become an unhandled rejection.
  finalizing.catch(() => undefined);
  const headMark: Mark = { number: head.height, hash: head.id };
  if (cursor === undefined)
    return step(deps, { marks: [], settled: head.height }, head, await finalizing, [headMark], [], new Map());
  const last = tip(cursor);
  if (last.hash === head.id) return step(deps, cursor, head, await finalizing, [], [], new Map());
  if (head.height === last.number + 1 && head.parentHash === last.hash) {
    const logs = await logsOf(deps, head);
    return step(deps, cursor, head, await finalizing, [headMark], logs, new Map([[head.id, headRef(head)]]));
  }
  const known = cursor.marks.find(({ number }) => number === head.height);
  // A provider that lags, or a chain that was cut back: what was seen stays until another block takes its place.
  if (known?.hash === head.id) return undefined;
  const ancestor = await commonAncestor(deps, cursor, head);
  if (ancestor === undefined) return undefined;
  const finalized = await finalizing;
  const rewound = ancestor.number < last.number;
  const to = rewound ? head.height : Math.min(head.height, ancestor.number + deps.config.watch.maxRange);
  const wanted = marksWanted(ancestor.number, to, finalized.height);
  const scan = await scanRange(
    provider,
    deps.config.depository,
    ancestor.number,
    to,
    wanted,
    deps.config.watch.maxRange,
  );
  checkEnd(scan, head, to);
  await checkStart(provider, ancestor);
  const base = rewound ? rewindTo(cursor, ancestor) : cursor;
  const next = step(deps, base, head, finalized, scan.marks, scan.logs, scan.blocks);
  return rewound ? { ...next, batch: { ...next.batch, rewoundTo: ancestor.number } } : next;
}

function checkEnd(scan: Scan, head: Head, to: number): void {
  const end = scan.marks[scan.marks.length - 1];
  if (to === head.height && end?.hash !== head.id) throw new ViewMoved(`block ${to} is not the head any more`);
}

/**
 * Race closed here: a reorg below the ancestor after it was found. The scan would continue a fork with blocks of
 * another one, and as its newest mark is canonical, nobody would look below it again.
 */
async function checkStart(provider: Provider, ancestor: Mark): Promise<void> {
  const now = await headerAt(provider, ancestor.number);
  if (now.hash !== ancestor.hash) throw new ViewMoved(`block ${ancestor.number} was replaced while it was continued`);
}

function rewindTo(cursor: Cursor, ancestor: Mark): Cursor {
  const kept = rewind(cursor, ancestor.number);
  return kept.marks.length > 0 ? kept : { ...kept, marks: [ancestor] };
}

function step(
  deps: WatcherDeps,
  cursor: Cursor,
  head: Head,
  finalized: BlockRef,
  marks: readonly Mark[],
  logs: readonly RpcLog[],
  blocks: ReadonlyMap<Hex, BlockRef>,
): Step {
  const blockOf = (log: RpcLog): BlockRef => blockAmong(blocks, log);
  const deposits = observeDeposits(deps.config.facts.id, logs, blockOf, finalized.height);
  const next = extend(cursor, marks, finalized.height);
  return { cursor: next, batch: { cursor: writeCursor(next), head: headRef(head), finalized, deposits } };
}

/**
 * The batch with the deposits of blocks that became final since they were last read, if these are enough to be worth a
 * query. Known ones are harmless repetitions. Another provider is preferred: it may have what the first one lacked.
 * Trouble here holds nothing up; the next batch tries again.
 */
async function readAgain(deps: WatcherDeps, made: Step): Promise<Step> {
  const { cursor, batch } = made;
  const { config, providers } = deps;
  const to = Math.min(batch.finalized.height, tip(cursor).number, cursor.settled + config.watch.maxRange);
  if (to - cursor.settled < WORTH_A_QUERY) return made;
  for (const provider of [...providers.usable()].reverse()) {
    try {
      return await readFinal(deps, made, provider, to);
    } catch (error) {
      if (isTransportError(error)) providers.failed(provider, error);
      else if (!(error instanceof RpcError || error instanceof ViewMoved)) throw error;
      deps.log.warn({ provider: provider.name, error: String(error), to }, 'final blocks cannot be read again yet');
    }
  }
  return made;
}

/**
 * Race closed here: the provider may be on a fork that the watched chain left. What it tells counts only if it has a
 * processed block at or above the last one read, for what is told to be final is never taken back.
 */
async function readFinal({ config }: WatcherDeps, made: Step, provider: Provider, to: number): Promise<Step> {
  const { cursor, batch } = made;
  const { depository, watch } = config;
  const shared = cursor.marks.find(({ number }) => number >= to) ?? tip(cursor);
  const { logs, blocks } = await scanRange(provider, depository, cursor.settled, to, [], watch.maxRange);
  await checkStart(provider, shared);
  const again = observeDeposits(config.facts.id, logs, (log) => blockAmong(blocks, log), batch.finalized.height);
  const newest = new Set(batch.deposits.map(({ fundingKey }) => fundingKey));
  const deposits = [...again.filter(({ fundingKey }) => !newest.has(fundingKey)), ...batch.deposits];
  const settled = { ...cursor, settled: to };
  return { cursor: settled, batch: { ...batch, cursor: writeCursor(settled), deposits } };
}

function blockAmong(blocks: ReadonlyMap<Hex, BlockRef>, log: RpcLog): BlockRef {
  const block = blocks.get(log.blockHash);
  if (block === undefined) throw new ViewMoved(`log of an unexpected block ${log.blockHash}`);
  return block;
}

/** Logs of exactly this block, by hash: a node that does not have it refuses instead of answering with nothing. */
async function logsOf(deps: WatcherDeps, head: Head): Promise<readonly RpcLog[]> {
  const { depository } = deps.config;
  const query = [{ ...depositFilter(depository), blockHash: head.id }];
  for (const pause of [10, 50, 200, undefined]) {
    const logs = await head.provider.rpc.request<readonly RpcLog[]>('eth_getLogs', query);
    if (logs.length > 0 || pause === undefined || !mayHaveDeposits(head, depository)) return logs;
    // The header's filter speaks of a deposit that the log index does not show yet.
    await deps.clock.sleep(pause);
  }
  return [];
}

function mayHaveDeposits(head: Head, depository: Hex): boolean {
  const { logsBloom } = head;
  if (logsBloom === undefined || !bloomMayContain(logsBloom, depository)) return false;
  return [NATIVE_DEPOSIT_TOPIC, ERC20_DEPOSIT_TOPIC].some((topic) => bloomMayContain(logsBloom, topic));
}

/**
 * Newest mark that is still canonical. Undefined when `head` is behind every doubt: its provider lags.
 * Where no mark is left, the chain was replaced beyond finality; everything is scanned again from the oldest mark.
 */
async function commonAncestor(deps: WatcherDeps, cursor: Cursor, head: Head): Promise<Mark | undefined> {
  const { provider } = head;
  const marks = cursor.marks.filter(({ number }) => number <= head.height);
  for (let end = marks.length; end > 0; end -= 16) {
    const some = marks.slice(Math.max(0, end - 16), end).reverse();
    const blocks = await Promise.all(
      some.map(({ number }) =>
        number === head.height
          ? Promise.resolve({ hash: head.id })
          : provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(number), false]),
      ),
    );
    const found = some.find((mark, n) => blocks[n]?.hash === mark.hash);
    if (found !== undefined) return lagging(cursor, head, found) ? undefined : found;
  }
  const oldest = cursor.marks[0]?.number ?? 0;
  if (head.height < oldest) return undefined;
  deps.log.error({ height: oldest, head: head.height }, 'the chain was replaced below the oldest processed block');
  const header = await headerAt(provider, Math.max(0, oldest - 1));
  return { number: Number(header.number), hash: header.hash };
}

/** A head below the newest mark with no contradicted mark at or below it proves nothing about the marks above. */
function lagging(cursor: Cursor, head: Head, found: Mark): boolean {
  if (head.height >= tip(cursor).number) return false;
  return !cursor.marks.some(({ number }) => number > found.number && number <= head.height);
}
