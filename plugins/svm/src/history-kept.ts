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

/** Nobody has anything in the first slots of a chain; local chains begin at the end of them. */
const BEGINNING = 32;

/** The oldest slot that a node still has a block of. After it there may be gaps. */
async function oldestSlot(rpc: HttpClient): Promise<number> {
  return rpc.request<number>('getFirstAvailableBlock');
}

/**
 * To be asked after what it vouches for.
 *
 * @param to a final slot that has a block.
 * @throws PrunedError unless the node has every block above a slot, up to this one.
 */
export async function keptAbove(rpc: HttpClient, slot: number, to: number): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest > Math.max(slot + 1, BEGINNING)) throw new PrunedError(`blocks up to slot ${oldest} are thrown away`);
  await keptFrom(rpc, slot + 1, to);
}

/**
 * To be asked after what it vouches for.
 *
 * @param to slots that have a block: a final one, and one that is no older, confirmed at least.
 * @throws PrunedError unless the node has every block since this time, up to these.
 */
export async function keptSince(
  rpc: HttpClient,
  since: UnixMs,
  to: { readonly final: number; readonly slot: number },
): Promise<void> {
  const oldest = await oldestSlot(rpc);
  if (oldest > BEGINNING && !((await timeOf(rpc, oldest)) <= since)) {
    throw new PrunedError(`blocks up to slot ${oldest} are thrown away, which may be later than ${since}`);
  }
  const from = await slotBefore(rpc, since, to.final, Math.max(oldest, BEGINNING));
  const run = await keptFrom(rpc, from, to.final);
  if ((run?.high.slot ?? 0) >= to.slot) return;
  // What is not final yet may be taken back, so it is not remembered.
  const whole = await grow(rpc, run, run === undefined ? from : run.high.slot + 1, to.slot, 'confirmed');
  if (whole?.high.slot !== to.slot) throw new PrunedError(`the block of slot ${to.slot} is missing`);
}

/**
 * To be asked after what it vouches for.
 *
 * @param top a final block, higher than what the message may be in.
 * @throws PrunedError unless the node has every block that a message could have been in.
 */
export async function keptLife(rpc: HttpClient, lastValidHeight: number, top: Block): Promise<void> {
  const first = lastValidHeight - VALID_BLOCKS;
  // Some more than it lives: heights of blocks are not always those by which messages run out.
  const last = Math.min(lastValidHeight + LAG_BLOCKS, top.height);
  const oldest = await oldestSlot(rpc);
  if (oldest > BEGINNING && (await readBlock(rpc, oldest, 'finalized')).height > first) {
    throw new PrunedError(`blocks up to slot ${oldest} are thrown away, of height ${first} too`);
  }
  const known = runsOf(rpc).find(({ low, high }) => low.height <= first && high.height >= first);
  const from = known?.low.slot ?? (await slotBelow(rpc, first, top, Math.max(oldest, BEGINNING)));
  const enough = ({ high }: Run): boolean => high.height >= last;
  const run = await unbroken(rpc, from, top.slot, { atOnce: LIFE_SLOTS, enough });
  if (run === undefined || !enough(run) || (run.low.height > first && from > BEGINNING)) {
    throw new PrunedError(`blocks of heights ${first} to ${last} are missing`);
  }
}

/** Slots of a message's life and some more, most of the time. */
const LIFE_SLOTS = 200;

async function keptFrom(rpc: HttpClient, slot: number, to: number): Promise<Run | undefined> {
  const from = Math.max(slot, BEGINNING);
  if (from > to) return undefined;
  const run = await unbroken(rpc, from, to);
  if (run === undefined || run.high.slot < to) throw new PrunedError(`the block of slot ${to} is missing`);
  return run;
}

/** When a slot was, in Unix milliseconds; not a number where the node does not tell. */
export async function timeOf(rpc: HttpClient, slot: number): Promise<UnixMs> {
  const seconds = await rpc.request<number | null>('getBlockTime', [slot]);
  return seconds === null ? Number.NaN : seconds * 1_000;
}

/** First step back to an earlier slot, about a quarter of an hour. Each is twice as long as the one before. */
const FIRST_STEP = 2_048;

/** A slot before whose next block nothing is later than a time; the oldest one where there is none. */
async function slotBefore(rpc: HttpClient, time: UnixMs, final: number, oldest: number): Promise<number> {
  // Nothing is that old, so there is nothing to look for.
  if (time <= 0) return oldest;
  const newest = runsOf(rpc).reduce<Run | undefined>(
    (best, run) => (best !== undefined && best.high.slot > run.high.slot ? best : run),
    undefined,
  );
  if (newest !== undefined && newest.low.slot >= oldest && (await timeOf(rpc, newest.low.slot)) <= time) {
    return newest.low.slot;
  }
  const block = await stepBack(rpc, newest?.low.slot ?? final, oldest, FIRST_STEP, async ({ slot }) => {
    return (await timeOf(rpc, slot)) <= time;
  });
  return block?.slot ?? oldest;
}

/** A slot whose next block is no higher than this; the oldest one where there is none. */
async function slotBelow(rpc: HttpClient, height: number, top: Block, oldest: number): Promise<number> {
  // Slots without a block come on top: mostly a few of a hundred.
  const step = Math.max(1, Math.ceil((top.height - height) * 1.1) + 16);
  const block = await stepBack(rpc, top.slot, oldest, step, (one) => one.height <= height);
  // A slot has one block at most, so from there on as many slots are as many blocks or fewer.
  return block === undefined ? oldest : block.slot + (height - block.height);
}

/** The first block found that is early enough, in steps that grow; undefined where even the oldest is not. */
async function stepBack(
  rpc: HttpClient,
  from: number,
  oldest: number,
  step: number,
  isEarly: (block: Block) => boolean | Promise<boolean>,
): Promise<Block | undefined> {
  for (let back = step; from - back > oldest; back *= 2) {
    const block = await firstBlock(rpc, from - back);
    if (block !== undefined && (await isEarly(block))) return block;
  }
  return undefined;
}

/**
 * Asks for what may be long ago: the first provider that answers and still has it. @throws what the last one said.
 */
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
