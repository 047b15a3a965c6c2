import { type HttpClient, TransportError } from '@causeway/core/rpc';

/** A node lacks the requested history: a transaction that it does not show may exist. */
export class PrunedError extends Error {
  override readonly name = 'PrunedError';
}

export type Commitment = 'confirmed' | 'finalized';

/** Identified by its slot once final. */
export interface Block {
  readonly slot: number;
  /** Blocks before it; on the local node up to 30 above the height that expires messages. */
  readonly height: number;
  /** Slot of the previous block; the local node reports its own slot, and has a block in every slot. */
  readonly parent: number;
}

/** Every block of the chain in the slots from `from` up to `high`. */
export interface Run {
  readonly from: number;
  readonly low: Block;
  readonly high: Block;
}

/** Slots per list, half a megabyte; nodes allow ten times as many. */
const MAX_SLOTS = 50_000;
/** Lists per answer, about five days of slots: a caller that needs more asks again and continues. */
const MAX_LISTS = 24;
/** Cached runs per node; usually one that grows. */
const MAX_RUNS = 16;

interface Memory {
  runs: readonly Run[];
  /** Resolves when no proof is running. */
  busy: Promise<unknown>;
}

const memories = new WeakMap<HttpClient, Memory>();

function memoryOf(rpc: HttpClient): Memory {
  const memory = memories.get(rpc) ?? { runs: [], busy: Promise.resolve() };
  memories.set(rpc, memory);
  return memory;
}

/** A node that was down may return with another ledger. */
export function forgetRuns(rpc: HttpClient): void {
  memories.delete(rpc);
}

/** Final runs that a node has proven. It may have pruned their oldest part since. */
export function runsOf(rpc: HttpClient): readonly Run[] {
  return memories.get(rpc)?.runs ?? [];
}

/**
 * Proves that a node has every final block from a slot on, up to `to` or until it is `enough`. Proofs are cached.
 *
 * Invariant: a node restarted from a newer snapshot over its old ledger has a gap, yet reports the old ledger's
 * oldest block. Only counting shows the gap: heights are consecutive, so a run is complete if it has as many blocks
 * as the heights of its ends differ by, or one in every slot.
 *
 * @returns the run that holds `from`; its end is before `to` where the node has no later block. Undefined: it has
 * none.
 * @throws PrunedError where a block is missing, or where the proof needs another call.
 */
export function unbroken(
  rpc: HttpClient,
  from: number,
  to: number,
  { atOnce = MAX_SLOTS, enough = () => false }: { atOnce?: number; enough?: (run: Run) => boolean } = {},
): Promise<Run | undefined> {
  const memory = memoryOf(rpc);
  const prove = async (): Promise<Run | undefined> => {
    let run = memory.runs.find((each) => each.from <= from && from <= each.high.slot + 1);
    let next = run === undefined ? from : run.high.slot + 1;
    let slots = atOnce;
    for (let lists = 0; next <= to && !(run && enough(run)); lists += 1) {
      if (lists === MAX_LISTS) throw new PrunedError(`blocks from slot ${next} on were not read yet`);
      const end = Math.min(next + slots - 1, to);
      const grown = await grow(rpc, run, next, end, 'finalized');
      if (grown !== undefined) run = remember(memory, grown);
      // The chain stood still or this is a gap: the next block decides.
      else slots = Math.min(2 * slots, MAX_SLOTS);
      next = Math.max(end, run?.high.slot ?? end) + 1;
    }
    return run;
  };
  // Serialized: a second caller finds it proven.
  const proven = memory.busy.then(prove);
  memory.busy = proven.catch(() => undefined);
  return proven;
}

/**
 * Extends a run with the following slots. Undefined where the node lists no block.
 * @throws PrunedError where one is missing.
 */
export async function grow(
  rpc: HttpClient,
  run: Run | undefined,
  from: number,
  to: number,
  commitment: Commitment,
): Promise<Run | undefined> {
  const slots = await listBlocks(rpc, from, to, commitment);
  const [first] = slots;
  const last = slots.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const [low, high] = await Promise.all([
    run?.low ?? readBlock(rpc, first, commitment),
    readBlock(rpc, last, commitment),
  ]);
  const reaches = run !== undefined || first === from || low.parent < from;
  const blocks = slots.length;
  const isWhole =
    run === undefined
      ? high.height - low.height === blocks - 1 || last - first === blocks - 1
      : high.height - run.high.height === blocks || last - run.high.slot === blocks;
  if (!reaches || !isWhole) throw new PrunedError(`blocks in slots ${from} to ${last} are missing`);
  return { from: run?.from ?? Math.min(from, low.parent + 1), low, high };
}

function remember(memory: Memory, run: Run): Run {
  // Cached runs are disjoint, so one pass suffices.
  const apart = memory.runs.filter((other) => !touch(run, other));
  const whole = memory.runs.filter((other) => touch(run, other)).reduce(join, run);
  memory.runs = [...apart, whole].slice(-MAX_RUNS);
  return whole;
}

function touch(one: Run, other: Run): boolean {
  return one.from <= other.high.slot + 1 && other.from <= one.high.slot + 1;
}

function join(one: Run, other: Run): Run {
  const { from, low } = one.from < other.from ? one : other;
  return { from, low, high: one.high.slot > other.high.slot ? one.high : other.high };
}

async function listBlocks(rpc: HttpClient, from: number, to: number, commitment: Commitment) {
  const slots = await rpc.request<readonly number[]>('getBlocks', [from, to, { commitment }]);
  let next = from;
  for (const slot of Array.isArray(slots) ? slots : [Number.NaN]) {
    if (!(Number.isSafeInteger(slot) && next <= slot && slot <= to)) {
      throw new TransportError('a list of blocks came back malformed', 'malformed');
    }
    next = slot + 1;
  }
  return slots;
}

/** Slots tried near the wanted one; if all are empty, the chain stood still. */
const NEAR = 64;

/** The first final block at or soon after a slot; undefined where the node has none. */
export async function firstBlock(rpc: HttpClient, slot: number): Promise<Block | undefined> {
  const [first] = await listBlocks(rpc, slot, slot + NEAR, 'finalized');
  return first === undefined ? undefined : readBlock(rpc, first, 'finalized');
}

interface RawBlock {
  readonly blockHeight: number | null;
  readonly parentSlot: number;
}

/** @throws PrunedError where the node lacks it or its height. */
export async function readBlock(rpc: HttpClient, slot: number, commitment: Commitment): Promise<Block> {
  // Asks for the block without transactions, so that no transaction version can be refused.
  const options = { transactionDetails: 'none', rewards: false, encoding: 'json', maxSupportedTransactionVersion: 0 };
  const raw = await rpc.request<RawBlock | null>('getBlock', [slot, { ...options, commitment }]);
  if (raw === null || !Number.isSafeInteger(raw.blockHeight) || !Number.isSafeInteger(raw.parentSlot)) {
    throw new PrunedError(`the block of slot ${slot} is missing`);
  }
  return { slot, height: raw.blockHeight as number, parent: raw.parentSlot };
}
