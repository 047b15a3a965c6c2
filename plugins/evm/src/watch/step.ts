import type {
  AddressBook,
  BlockRef,
  Clock,
  DepositBatch,
  DepositObservation,
  ExecutionObservation,
  Hex,
  Logger,
  Metrics,
} from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import { isSweptLog } from '../deposit-addresses/swept.js';
import type { Spans } from '../logs/spans.js';
import { ViewMoved } from '../logs/view-moved.js';
import { isExecutionLog, observeExecutions } from '../payer-swaps/execution-logs.js';
import type { RpcLog } from '../rpc/types.js';
import type { CarriedIdReader } from './carried-ids.js';
import { type Cursor, extend, type Mark, writeCursor } from './cursor.js';
import { isServed, observeDeposits } from './deposit-logs.js';
import { type Head, type Heads, headRef } from './heads.js';
import { type CarriedIds, isTransferTo, observePlain, type PlainReading } from './plain-transfers.js';
import type { Scan } from './scan.js';

export interface WatcherDeps {
  readonly config: ChainConfig;
  readonly plain: PlainReading;
  readonly carried: CarriedIdReader;
  readonly providers: Providers;
  readonly spans: Spans;
  readonly feed: Heads;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Absent: only the depository is watched. */
  readonly addresses?: AddressBook | undefined;
}

export interface Step {
  readonly cursor: Cursor;
  readonly batch: DepositBatch;
}

/** @param read `from`: all blocks after it were read. `to`: up to here; absent: up to the head. */
export function step(
  deps: WatcherDeps,
  cursor: Cursor,
  head: Head,
  finalized: BlockRef,
  read: Pick<Scan, 'marks' | 'logs' | 'blocks'> & {
    readonly ids: CarriedIds;
    readonly from?: number;
    readonly to?: number;
  },
): Step {
  const observed = observe(deps, read, finalized);
  const deposits = observed.filter((one) => isServed(deps.config, one));
  reportUnserved(deps, observed, deposits);
  const next = extend(cursor, read.marks, finalized.height);
  const part = {
    ...(read.from !== undefined && { readFrom: read.from }),
    ...(read.to !== undefined && read.to < head.height && { readTo: read.to }),
  };
  const executions = mergedExecutions([], executionsIn(deps.config, read, finalized));
  const batch = { cursor: writeCursor(next), head: headRef(head), finalized, deposits, ...executions, ...part };
  return { cursor: next, batch };
}

export function emptyRead(...marks: readonly Mark[]): Parameters<typeof step>[4] {
  return { marks, logs: [], blocks: new Map(), ids: new Map() };
}

/** All deposits in the logs, including unsupported currencies, with their swaps and direct transfers. */
export function observe(
  { config, plain }: Pick<WatcherDeps, 'config' | 'plain'>,
  { logs, blocks, ids }: Pick<Scan, 'logs' | 'blocks'> & { readonly ids: CarriedIds },
  finalized: BlockRef,
): readonly DepositObservation[] {
  const { facts, swapEntry } = config;
  const blockOf = (log: RpcLog): BlockRef => blockAmong(blocks, log);
  const ours = logs.filter(
    (log) => !isExecutionLog(swapEntry, log) && !isTransferTo(config, log) && !isSweptLog(config.depositAddresses, log),
  );
  const made = observeDeposits(facts.id, ours, blockOf, finalized.height, swapEntry);
  return [...made, ...observePlain(plain, logs, blockOf, finalized.height, ids)];
}

export function executionsIn(
  { facts, swapEntry }: ChainConfig,
  { logs, blocks }: Pick<Scan, 'logs' | 'blocks'>,
  finalized: BlockRef,
): readonly ExecutionObservation[] {
  if (swapEntry === undefined) return [];
  const ours = logs.filter((log) => isExecutionLog(swapEntry, log));
  return observeExecutions(facts.id, ours, (log) => blockAmong(blocks, log), finalized.height);
}

export function mergedExecutions(
  before: readonly ExecutionObservation[],
  newest: readonly ExecutionObservation[],
): Pick<DepositBatch, 'executions'> {
  const known = new Set(newest.map(({ id }) => id));
  const executions = [...before.filter(({ id }) => !known.has(id)), ...newest];
  return executions.length === 0 ? {} : { executions };
}

/** Anyone can deposit worthless tokens at will: counted only, not stored. */
function reportUnserved(
  { config, log, metrics }: WatcherDeps,
  observed: readonly DepositObservation[],
  served: readonly DepositObservation[],
): void {
  const unserved = observed.length - served.length;
  if (unserved === 0) return;
  const help = 'Deposits of tokens that are not configured, which are not acted upon';
  metrics.count('unserved_deposits', help, { chain: config.facts.id }, unserved);
  const { transactionHash, currency } = observed.find((one) => !isServed(config, one)) ?? {};
  log.debug({ unserved, transactionHash, currency }, 'deposits of tokens that are not configured');
}

function blockAmong(blocks: ReadonlyMap<Hex, BlockRef>, log: RpcLog): BlockRef {
  const block = blocks.get(log.blockHash);
  if (block === undefined) throw new ViewMoved(`log of an unexpected block ${log.blockHash}`);
  return block;
}
