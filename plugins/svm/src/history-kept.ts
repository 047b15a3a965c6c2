import type { UnixMs } from '@causeway/core';
import { type HttpClient, isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { LAG_BLOCKS, VALID_BLOCKS } from './position.js';
import {
  type Block,
  firstBlock,
  grow,
  PrunedError,
  type Run,
  readBlock,
  runsOf,
  unbroken,
} from './unbroken-history.js';

// A missing entry proves absence only if the node had every block before the question (it may receive missing blocks
// later, or another node may answer) and after it (it may prune). Proven ranges are cached, so the second proof is
// cheap.

/** Earlier slots hold no transactions of the solver; local chains begin with this one. */
const FIRST_SOLVER_SLOT = 32;

async function oldestSlot(rpc: HttpClient): Promise<number> {
  return rpc.request<number>('getFirstAvailableBlock');
}

/**
 * @param to a final slot that has a block.
 * @throws PrunedError unless the node has every block above a slot, up to this one.
 */
export async function keptAbove(rpc: HttpClient, slot: number, to: number): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest > Math.max(slot + 1, FIRST_SOLVER_SLOT)) throw new PrunedError(`blocks up to slot ${oldest} are pruned`);
  await keptFrom(rpc, slot + 1, to);
}

/** Upper ends of an answer; both have a block. */
export interface Tops {
  readonly final: number;
  readonly slot: number;
}

/**
 * @returns a slot, not much earlier than this time, from which on the node has every block up to these.
 * @throws PrunedError unless it has them all since this time.
 */
export async function keptSince(rpc: HttpClient, since: UnixMs, to: Tops): Promise<number> {
  const oldest = await oldestSlot(rpc);
  if (oldest > FIRST_SOLVER_SLOT && !((await timeOf(rpc, oldest)) <= since)) {
    throw new PrunedError(`blocks up to slot ${oldest} are pruned, which may be later than ${since}`);
  }
  const from = await slotBefore(rpc, since, to.final, Math.max(oldest, FIRST_SOLVER_SLOT));
  const run = await keptFrom(rpc, from, to.final);
  if ((run?.high.slot ?? 0) >= to.slot) return from;
  // Blocks that are not final may be reverted, so they are not cached.
  const whole = await grow(rpc, run, run === undefined ? from : run.high.slot + 1, to.slot, 'confirmed');
  if (whole?.high.slot !== to.slot) throw new PrunedError(`the block of slot ${to.slot} is missing`);
  return from;
}

export interface Oldest {
  readonly slot: number;
  readonly height: number;
}

/** Must be read again for each proof by `keptLife`. @throws PrunedError where the node does not show it. */
export async function oldestBlock(rpc: HttpClient): Promise<Oldest> {
  const slot = await oldestSlot(rpc);
  if (slot <= FIRST_SOLVER_SLOT) return { slot: FIRST_SOLVER_SLOT, height: Number.NEGATIVE_INFINITY };
  return readBlock(rpc, slot, 'finalized');
}

/**
 * @param top a final block, higher than any the message may be in.
 * @throws PrunedError unless the node has every block that a message could have been in.
 */
export async function keptLife(rpc: HttpClient, lastValidHeight: number, top: Block, oldest: Oldest): Promise<void> {
  const first = lastValidHeight - VALID_BLOCKS;
  if (oldest.height > first) throw new PrunedError(`blocks of height ${first} are pruned`);
  // A margin over its life: reported block heights may be somewhat above those that expire messages.
  const enough = ({ high }: Run): boolean => high.height >= lastValidHeight + LAG_BLOCKS || high.slot >= top.slot;
  const known = runsOf(rpc).find(({ low, high }) => low.height <= first && high.height >= first);
  const from = known?.from ?? (await slotBelow(rpc, first, top, oldest.slot));
  const run = await unbroken(rpc, from, top.slot, { atOnce: LIFE_SLOTS, enough });
  if (run === undefined || !enough(run)) throw new PrunedError(`blocks from height ${first} on are missing`);
}

const LIFE_SLOTS = 200;

async function keptFrom(rpc: HttpClient, slot: number, to: number): Promise<Run | undefined> {
  const from = Math.max(slot, FIRST_SOLVER_SLOT);
  if (from > to) return undefined;
  const run = await unbroken(rpc, from, to);
  if (run === undefined || run.high.slot < to) throw new PrunedError(`the block of slot ${to} is missing`);
  return run;
}

/** Unix milliseconds; NaN where the node does not know. */
export async function timeOf(rpc: HttpClient, slot: number): Promise<UnixMs> {
  const seconds = await rpc.request<number | null>('getBlockTime', [slot]);
  return seconds === null ? Number.NaN : seconds * 1_000;
}

/** First step back, about a quarter of an hour; each next one is twice as long. */
const FIRST_STEP = 2_048;
/** Search precision in slots, a few minutes. */
const PRECISION_SLOTS = 600;

/**
 * A slot whose next block is no later than this time, and not much earlier; the oldest one where there is none. Gaps
 * may precede it.
 */
async function slotBefore(rpc: HttpClient, time: UnixMs, final: number, oldest: number): Promise<number> {
  if (time <= 0) return oldest;
  const isEarly = async ({ slot }: Block): Promise<boolean> => (await timeOf(rpc, slot)) <= time;
  const known = newestRun(rpc)?.low;
  if (known !== undefined && known.slot >= oldest && (await isEarly(known))) return known.slot;
  let early = oldest;
  let late = known?.slot ?? final;
  for (let back = FIRST_STEP; late - back > oldest; back *= 2) {
    const block = await firstBlock(rpc, late - back);
    if (block !== undefined && (await isEarly(block))) {
      early = block.slot;
      break;
    }
    if (block !== undefined) late = block.slot;
  }
  // Where nothing is near, the search continues above, so that the result has a block.
  for (let low = early; late - low > PRECISION_SLOTS; ) {
    const middle = Math.floor((low + late) / 2);
    const block = await firstBlock(rpc, middle);
    if (block === undefined) low = middle;
    else if (await isEarly(block)) low = early = block.slot;
    else late = middle;
  }
  return early;
}

function newestRun(rpc: HttpClient): Run | undefined {
  return runsOf(rpc).reduce<Run | undefined>(
    (best, run) => (best !== undefined && best.high.slot > run.high.slot ? best : run),
    undefined,
  );
}

const MAX_MARGIN_SLOTS = 32;
const MAX_STEPS = 100;

/**
 * A slot whose next block is no higher than this height, and not much lower; the oldest one where there is none. Gaps
 * may precede it.
 */
async function slotBelow(rpc: HttpClient, height: number, top: Block, oldest: number): Promise<number> {
  let { slot, height: reached } = top;
  let step = 0;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const above = reached - height;
    // A slot has at most one block, so n slots back are at most n blocks.
    step = Math.max(above + Math.min(MAX_MARGIN_SLOTS, Math.ceil(above / 16)), step);
    slot -= step;
    if (slot <= oldest) return oldest;
    const block = await firstBlock(rpc, slot);
    if (block !== undefined && block.height <= height) return block.slot + (height - block.height);
    if (block !== undefined && block.height < reached) [slot, reached, step] = [block.slot, block.height, 0];
    // No progress: the chain stood still, or a gap.
    else step *= 2;
  }
  throw new PrunedError(`there is no way back to height ${height}`);
}

export async function askHistory<T>(providers: Providers, task: (provider: Provider) => Promise<T>): Promise<T> {
  let last: unknown;
  for (const provider of providers.usable()) {
    try {
      return await task(provider);
    } catch (error) {
      if (isTransportError(error)) providers.failed(provider, error);
      else if (!(error instanceof PrunedError) && !(error instanceof RpcError)) throw error;
      last = error;
    }
  }
  throw last ?? new Error(providers.problem() ?? 'no provider');
}
