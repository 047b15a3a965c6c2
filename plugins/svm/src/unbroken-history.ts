import { type HttpClient, TransportError } from '@causeway/core/rpc';

/** A node threw away the history that was asked for, or never had it: a transaction that it lacks may exist. */
export class PrunedError extends Error {
  override readonly name = 'PrunedError';
}

export type Commitment = 'confirmed' | 'finalized';

/** A block, which slot alone names among those of a chain that last. */
export interface Block {
  readonly slot: number;
  /** Blocks before it; of the local node up to 30 more than that by which messages run out. */
  readonly height: number;
  /** Slot of the block before it; the local node names its own instead, and has a block in every slot. */
  readonly parent: number;
}

/** Every block that the chain has in the slots from `from` on, up to `high`. */
export interface Run {
  readonly from: number;
  /** The first of them. */
  readonly low: Block;
  readonly high: Block;
}

/** Slots that are listed at once, half a megabyte; nodes allow ten times as many. */
const MOST_SLOTS = 50_000;
/** Lists for one answer, about five days of slots: a caller that needs more asks again, and goes on where this ended. */
const MOST_LISTS = 24;
/** Most that is remembered of a node. What is asked for is mostly one run, which grows. */
const MOST_RUNS = 16;

interface Memory {
  runs: readonly Run[];
  /** Ends when nobody is proving anything. */
  busy: Promise<unknown>;
}

const memories = new WeakMap<HttpClient, Memory>();

function memoryOf(rpc: HttpClient): Memory {
  const memory = memories.get(rpc) ?? { runs: [], busy: Promise.resolve() };
  memories.set(rpc, memory);
  return memory;
}

/** For a node that was away: it may come back with another ledger. */
export function forgetRuns(rpc: HttpClient): void {
  memories.delete(rpc);
}

/** What a node was proven to have had, final and without a gap. It may have thrown away the oldest of it since. */
export function runsOf(rpc: HttpClient): readonly Run[] {
  return memories.get(rpc)?.runs ?? [];
}

/**
 * Proves that a node has every final block from a slot on, up to `to` or until it is `enough`. What was proven is remembered,
 * so that it is listed once.
 *
 * Invariant: a node that was started from a newer snapshot over its old ledger lacks what lies between, and names the oldest
 * block of the old ledger. Only counting shows it: blocks are numbered without a gap, so a run of them is whole if there are
 * as many as the heights of its ends differ by, or one in every slot.
 *
 * @returns the run that holds `from`; its end is before `to` where the node has no later block. Undefined: it has none.
 * @throws PrunedError where a block is missing, or where so much was asked for that it has to be asked again.
 */
export function unbroken(
  rpc: HttpClient,
  from: number,
  to: number,
  { atOnce = MOST_SLOTS, enough = () => false }: { atOnce?: number; enough?: (run: Run) => boolean } = {},
): Promise<Run | undefined> {
  const memory = memoryOf(rpc);
  const prove = async (): Promise<Run | undefined> => {
    let run = memory.runs.find((each) => each.from <= from && from <= each.high.slot + 1);
    let next = run === undefined ? from : run.high.slot + 1;
    let slots = atOnce;
    for (let lists = 0; next <= to && !(run && enough(run)); lists += 1) {
      if (lists === MOST_LISTS) throw new PrunedError(`blocks from slot ${next} on are not gone through yet`);
      const end = Math.min(next + slots - 1, to);
      const grown = await grow(rpc, run, next, end, 'finalized');
      if (grown !== undefined) run = remember(memory, grown);
      // Either the chain stood still or this is a gap: the next block tells.
      else slots = Math.min(2 * slots, MOST_SLOTS);
      next = Math.max(end, run?.high.slot ?? end) + 1;
    }
    return run;
  };
  // One after the other: who asks for the same meanwhile finds it proven.
  const proven = memory.busy.then(prove);
  memory.busy = proven.catch(() => undefined);
  return proven;
}

/**
 * A run with the blocks that a node lists in these slots, which follow it. Undefined where it lists none.
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
  // Those that are kept lie apart from each other, so one look at each is enough.
  const apart = memory.runs.filter((other) => !touch(run, other));
  const whole = memory.runs.filter((other) => touch(run, other)).reduce(join, run);
  memory.runs = [...apart, whole].slice(-MOST_RUNS);
  return whole;
}

function touch(one: Run, other: Run): boolean {
  return one.from <= other.high.slot + 1 && other.from <= one.high.slot + 1;
}

function join(one: Run, other: Run): Run {
  const { from, low } = one.from < other.from ? one : other;
  return { from, low, high: one.high.slot > other.high.slot ? one.high : other.high };
}

/** Slots of the blocks that a node has between two slots, both included, in rising order. */
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

/** Slots tried near the wanted slot; where more of them stay empty, the chain stood still. */
const NEAR = 64;

/** The first final block at a slot or soon after it; undefined where the node has none there. */
export async function firstBlock(rpc: HttpClient, slot: number): Promise<Block | undefined> {
  const [first] = await listBlocks(rpc, slot, slot + NEAR, 'finalized');
  return first === undefined ? undefined : readBlock(rpc, first, 'finalized');
}

interface RawBlock {
  readonly blockHeight: number | null;
  readonly parentSlot: number;
}

/** @throws PrunedError where the node does not have it, or not its height. */
export async function readBlock(rpc: HttpClient, slot: number, commitment: Commitment): Promise<Block> {
  // No transaction is shown, so none of them can be of a version that is not.
  const options = { transactionDetails: 'none', rewards: false, encoding: 'json', maxSupportedTransactionVersion: 0 };
  const raw = await rpc.request<RawBlock | null>('getBlock', [slot, { ...options, commitment }]);
  if (raw === null || !Number.isSafeInteger(raw.blockHeight) || !Number.isSafeInteger(raw.parentSlot)) {
    throw new PrunedError(`the block of slot ${slot} is missing`);
  }
  return { slot, height: raw.blockHeight as number, parent: raw.parentSlot };
}
