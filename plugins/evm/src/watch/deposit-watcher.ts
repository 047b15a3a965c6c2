import type { BlockRef, DepositBatch, Hex } from '@causeway/core';
import { isTransportError, RpcError } from '@causeway/core/rpc';
import { brief } from '../brief.js';
import { finalizedBlock } from '../finality.js';
import { blockLogs } from '../logs/block-logs.js';
import type { LogFilter } from '../logs/log-filter.js';
import { isTooMuch } from '../logs/too-much.js';
import { ViewMoved } from '../logs/view-moved.js';
import { EXECUTION_TOPIC } from '../payer-swaps/execution-logs.js';
import type { RpcLog } from '../rpc/types.js';
import { AddressWatch } from './addresses/address-watch.js';
import { commonAncestor } from './ancestor.js';
import { bloomMayContain } from './bloom.js';
import { type Cursor, type Mark, marksWanted, readCursor, rewind, tip, writeCursor } from './cursor.js';
import { ERC20_DEPOSIT_TOPIC, NATIVE_DEPOSIT_TOPIC, type Watched, watchFilter } from './deposit-logs.js';
import { type Head, headRef } from './heads.js';
import { indicatesTransfers, mayHaveTransfers, transferFilter } from './plain-transfers.js';
import { readAgain } from './read-again.js';
import { RewindReader } from './rewind-reader.js';
import { checkStart, type Scan, scanPart } from './scan.js';
import { emptyRead, type Step, step, type WatcherDeps } from './step.js';

const RETRY_MS = [20, 50, 100, 250, 500, 1000] as const;

/**
 * See `ChainAdapter.watchDeposits`.
 *
 * Invariants: a block counts as processed only after the provider that named it (or a later head) returned its logs
 * under its hash; forks are never mixed. Every block is read again once final, as a lagging log index may have
 * returned nothing. Each read stays within what a provider answers, and is reported before the next.
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
  const rewinds = new RewindReader();
  const addresses = addressesOf(deps, signal);
  while (!signal.aborted) {
    const head = deps.feed.current;
    if (head === undefined || head === seen) {
      const retryMs = addresses?.retryMs;
      if (retryMs === undefined) await deps.feed.changed(seen, signal);
      else await changedOrLater(deps, seen, retryMs, signal);
      const isAgain = retryMs !== undefined && head !== undefined && deps.feed.current === head && !signal.aborted;
      if (isAgain && addresses && cursor && finalized) yield* newsOf(addresses, cursor, head, finalized);
      continue;
    }
    addresses?.begin(head);
    try {
      const made = await advance(deps, rewinds, cursor, head, finalized);
      failures = 0;
      deps.providers.read('deposits', head.provider);
      if (made === undefined) {
        seen = head;
        continue;
      }
      const { batch, cursor: next } = await readAgain(deps, made);
      const repeated = (await addresses?.repeated(batch, head)) ?? [];
      cursor = next;
      finalized = batch.finalized;
      const isRead = tip(cursor).hash === head.id;
      if (isRead) seen = head;
      yield { ...batch, deposits: [...batch.deposits, ...repeated] };
      // After deposits, so that transfers to addresses do not delay them.
      if (isRead && addresses !== undefined) yield* newsOf(addresses, cursor, head, finalized);
    } catch (error) {
      if (!(isTransportError(error) || error instanceof RpcError || error instanceof ViewMoved)) throw error;
      deps.providers.unread('deposits', head.provider, error);
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000;
      failures += 1;
      if (failures > 3)
        deps.log.warn({ error: brief(String(error)), height: head.height }, 'deposits cannot be read yet');
      if (!isTransportError(error)) deps.feed.poke();
      await deps.clock.sleep(pause, signal);
    }
  }
}

function addressesOf({ addresses: book, ...deps }: WatcherDeps, signal: AbortSignal): AddressWatch | undefined {
  const { depositAddresses: factory } = deps.config;
  return book === undefined || factory === undefined ? undefined : new AddressWatch({ ...deps, book, factory, signal });
}

async function changedOrLater(
  { feed, clock }: WatcherDeps,
  seen: Head | undefined,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  await Promise.race([feed.changed(seen, end), clock.sleep(ms, end)]);
  over.abort();
}

/** Batches that only add to the one of the same head. */
async function* newsOf(
  addresses: AddressWatch,
  cursor: Cursor,
  head: Head,
  finalized: BlockRef,
): AsyncGenerator<DepositBatch> {
  for await (const deposits of addresses.news(head, finalized))
    yield { cursor: writeCursor(cursor), head: headRef(head), finalized, deposits };
}

async function advance(
  deps: WatcherDeps,
  rewinds: RewindReader,
  cursor: Cursor | undefined,
  head: Head,
  before: BlockRef | undefined,
): Promise<Step | undefined> {
  const { provider } = head;
  const finalizing = finalizedBlock(provider, deps.config.finality, head.height);
  // The first rejection is thrown; the other must not become unhandled.
  finalizing.catch(() => undefined);
  const newestFinal = async (): Promise<BlockRef> => {
    const block = await finalizing.catch((error: unknown) => askAlone(deps, head, error));
    return before !== undefined && before.height > block.height ? before : block;
  };
  const headMark: Mark = { number: head.height, hash: head.id };
  if (cursor === undefined)
    return step(deps, { marks: [], settled: head.height }, head, await newestFinal(), emptyRead(headMark));
  const last = tip(cursor);
  if (last.hash === head.id) return step(deps, cursor, head, await newestFinal(), emptyRead());
  if (head.height === last.number + 1 && head.parentHash === last.hash) {
    const logs = await logsOf(deps, head);
    const ids = await deps.carried.read(provider, logs);
    const blocks = new Map([[head.id, headRef(head)]]);
    return step(deps, cursor, head, await newestFinal(), { marks: [headMark], logs, blocks, ids, from: last.number });
  }
  const known = cursor.marks.find(({ number }) => number === head.height);
  // The provider lags, or the chain was truncated: seen deposits stay until another block replaces theirs.
  if (known?.hash === head.id) return undefined;
  const ancestor = await commonAncestor(deps, cursor, head);
  if (ancestor === undefined) return undefined;
  const finalized = await newestFinal();
  return ancestor.number < last.number
    ? reread(deps, rewinds, cursor, head, finalized, ancestor)
    : readOn(deps, cursor, head, finalized, ancestor);
}

/** Batched calls fail together if the logs of one are too large. */
async function askAlone({ config }: WatcherDeps, { provider, height }: Head, error: unknown): Promise<BlockRef> {
  if (!isTransportError(error) || !isTooMuch(error)) throw error;
  return finalizedBlock(provider, config.finality, height);
}

async function readOn(deps: WatcherDeps, cursor: Cursor, head: Head, finalized: BlockRef, last: Mark): Promise<Step> {
  const { config, spans } = deps;
  const from = last.number;
  const to = Math.min(head.height, from + config.watch.maxRange);
  const marks = (end: number): readonly number[] => marksWanted(from, end, finalized.height);
  const scan = await scanPart(head.provider, spans, { watched: config, from, to, marks });
  const ids = await deps.carried.read(head.provider, scan.logs);
  checkEnd(scan, head);
  await checkStart(head.provider, last);
  return step(deps, cursor, head, finalized, { ...scan, ids, from });
}

async function reread(
  deps: WatcherDeps,
  rewinds: RewindReader,
  cursor: Cursor,
  head: Head,
  finalized: BlockRef,
  ancestor: Mark,
): Promise<Step> {
  const { config, spans } = deps;
  const to = Math.min(head.height, Math.max(tip(cursor).number, ancestor.number + config.watch.maxRange));
  const marks = (from: number, end: number): readonly number[] => marksWanted(from, end, finalized.height);
  const scan = await rewinds.read(head.provider, spans, ancestor, { watched: config, to, marks });
  const ids = await deps.carried.read(head.provider, scan.logs);
  checkEnd(scan, head);
  const next = step(deps, rewindTo(cursor, ancestor), head, finalized, { ...scan, ids, from: ancestor.number });
  return { ...next, batch: { ...next.batch, rewoundTo: ancestor.number } };
}

function checkEnd(scan: Scan, head: Head): void {
  const end = scan.marks[scan.marks.length - 1];
  if (scan.to === head.height && end?.hash !== head.id)
    throw new ViewMoved(`block ${scan.to} is not the head any more`);
}

function rewindTo(cursor: Cursor, ancestor: Mark): Cursor {
  const kept = rewind(cursor, ancestor.number);
  return kept.marks.length > 0 ? kept : { ...kept, marks: [ancestor] };
}

/** Logs of exactly this block. A deposit that the index does not show for long is found when the block is final. */
async function logsOf(deps: WatcherDeps, head: Head): Promise<readonly RpcLog[]> {
  const { config } = deps;
  const transfers = mayHaveTransfers(head.logsBloom, head.empty, config) ? transferFilter(config) : undefined;
  const parts = await Promise.all([
    shownLogs(deps, head, watchFilter(config), () => mayHaveNews(head, config)),
    ...(transfers ? [shownLogs(deps, head, transfers, () => indicatesTransfers(head.logsBloom, config))] : []),
  ]);
  return parts.flat();
}

/** @param isIndicated whether the bloom filter indicates one that the log index may not show yet. */
async function shownLogs(
  { clock }: WatcherDeps,
  { provider, height, id }: Head,
  filter: LogFilter,
  isIndicated: () => boolean,
): Promise<readonly RpcLog[]> {
  for (const pause of [10, 50, 200, undefined]) {
    const logs = await blockLogs(provider, filter, { number: height, hash: id });
    if (logs.length > 0 || pause === undefined || !isIndicated()) return logs;
    await clock.sleep(pause);
  }
  return [];
}

function mayHaveNews({ logsBloom }: Head, { depository, swapEntry }: Watched): boolean {
  const mayHave = (address: Hex, topics: readonly Hex[]): boolean =>
    logsBloom !== undefined &&
    bloomMayContain(logsBloom, address) &&
    topics.some((topic) => bloomMayContain(logsBloom, topic));
  if (mayHave(depository, [NATIVE_DEPOSIT_TOPIC, ERC20_DEPOSIT_TOPIC])) return true;
  return swapEntry !== undefined && mayHave(swapEntry, [EXECUTION_TOPIC]);
}
